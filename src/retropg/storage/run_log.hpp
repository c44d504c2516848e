#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/parallel/background.hpp"
#include "retropg/storage/log_file.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg {

/// The first line of progress.csv.
inline constexpr std::string_view kProgressColumns =
    "iteration,trajectories,steps,return_mean,return_std,gradient_norm,ess,weight_mean,weight_max,log_d2_max,skipped,"
    "dropped";

/// The records of a run as text: progress.csv, one line per iteration, and metrics.jsonl, one line per `metrics_every`
/// iterations. Lines are formatted by a thread of its own while the run goes on.
class RunLog {
 public:
  /// Starts new files in the folder; without metrics.jsonl if `metrics_every` is 0.
  RunLog(const std::filesystem::path& folder, Index metrics_every);
  /// Continues the files after the first bytes of each.
  RunLog(const std::filesystem::path& folder, Index metrics_every, const std::map<std::string, Index>& lengths);
  ~RunLog();

  void add(const IterationRecord& record);
  /// Adds many at once, formatted by the caller's thread.
  void add(std::span<const IterationRecord> records);
  /// Writes all lines so far, `sync` durably. If that fails, throws RunError and keeps the rest for the next time.
  void flush();
  void sync();
  /// Bytes of each file, up to the last line written.
  std::map<std::string, Index> lengths() const;
  std::size_t waiting() const;

 private:
  void format(std::span<const IterationRecord> records);
  void hand_over();
  void drain();

  Index metrics_every_;
  LogFile progress_;
  std::unique_ptr<LogFile> metrics_;  // may be null
  std::vector<IterationRecord> fresh_, handed_;
  std::size_t fresh_count_ = 0;
  Background background_;  // the last member: destroyed first, it uses the others
};

}  // namespace retropg
