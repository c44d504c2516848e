#pragma once

#include <optional>
#include <string>

#include "retropg/storage/log_file.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg {

/// The time of day.
double seconds_since_1970();

/// How the names of event files begin.
inline constexpr const char* kEventFiles = "events.out.tfevents.";

/// Where and when an event file begins.
struct EventFileStart {
  double seconds = 0.0;  // of training before it
  std::optional<Index>
      repeated{};  // the first step that is taken again, if a run goes on: TensorBoard drops older data
};

/// Diagnostics of a run as scalars for TensorBoard, at the number of steps as Stable-Baselines3 has them. An iteration
/// gets an event if it ends a thousandth of the time so far after the last one, but at least a millisecond and at most
/// a second: TensorBoard shows about a thousand points, and a fast run has that many iterations within a second.
class EventFile {
 public:
  /// A new file in the folder; its name comes after those of the files that are there.
  EventFile(const Place& folder, const EventFileStart& start);

  /// `seconds` of training until the end of the iteration; `always`: no matter when the last event was.
  void add(const IterationRecord& record, double seconds, bool always);
  void add(const Evaluation& evaluation, Index steps, double seconds);

  void flush() { file_.flush(); }
  std::size_t waiting() const { return file_.waiting(); }

 private:
  double began_;  // training, as seconds since 1970, if it had never been interrupted
  double next_ = 0.0;
  LogFile file_;
};

}  // namespace retropg
