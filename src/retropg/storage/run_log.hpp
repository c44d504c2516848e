#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/parallel/background.hpp"
#include "retropg/storage/evaluation_table.hpp"
#include "retropg/storage/event_file.hpp"
#include "retropg/storage/log_file.hpp"
#include "retropg/training/run.hpp"

namespace retropg {

/// The first line of progress.csv.
inline constexpr std::string_view kProgressColumns =
    "iteration,trajectories,steps,return_mean,return_std,gradient_norm,ess,weight_mean,weight_max,log_d2_max,skipped,"
    "dropped";

/// The first line of evaluations.csv.
inline constexpr std::string_view kEvaluationColumns = "iteration,trajectories,steps,mean,half_width,episodes";

/// The same evaluations, with every episode, as an archive for NumPy.
inline constexpr const char* kEvaluationTable = "evaluations.npz";

/// Where the logs of a run that goes on are continued.
struct LogsSoFar {
  std::map<std::string, Index> lengths;  // of each log in bytes
  Index iteration = 0, steps = 0;        // of the run
  double seconds = 0.0;
};

/// The evaluations of a run's first iterations in its evaluations.npz. Throws an Error that names the file if it does
/// not have them.
EvaluationTable load_evaluations(const Place& folder, const TrainSettings& settings, Index iterations);

/// The records of a run as files: progress.csv, one line per iteration; metrics.jsonl, one line per so many iterations;
/// evaluations.csv, one line per evaluation; monitor.csv, one line per trajectory; evaluations.npz; and events for
/// TensorBoard. All is formatted by a thread of its own while the run goes on. Checkpoints do not count on the events,
/// which begin a new file when a run goes on.
class RunLog {
 public:
  /// Starts new files in the folder.
  RunLog(const Place& folder, const Configuration& configuration);
  /// Continues the files after the first bytes of each. Without monitor.csv among them, the run has none.
  RunLog(const Place& folder, const Configuration& configuration, const LogsSoFar& so_far);
  ~RunLog();

  /// `seconds` of training so far.
  void add(const IterationRecord& record, double seconds);
  /// Adds many at once, formatted by the caller's thread.
  void add(std::span<const IterationRecord> records, double seconds);
  /// Adds the evaluation at the end of a run that no record has. A longer run does not have it, so it comes after what
  /// the last checkpoint counts.
  void add_last_evaluation(const RunResult& result);
  /// Writes all lines so far, `sync` durably. If that fails, throws RunError and keeps the rest for the next time.
  void flush();
  void sync();
  /// Writes evaluations.npz if there are new evaluations; `sync` does so, too.
  void save_evaluations();
  /// Bytes of each file, up to the last line written.
  std::map<std::string, Index> lengths() const;
  std::size_t waiting() const;

 private:
  struct Entry {
    IterationRecord record;
    double seconds = 0.0;
  };

  void format(const IterationRecord& record, double seconds, bool newest);
  void hand_over();
  void drain();
  std::vector<std::pair<const char*, LogFile*>> files() const;

  Place folder_;
  Index metrics_every_;
  std::unique_ptr<LogFile> progress_, metrics_, evaluations_, monitor_;  // all but the first may be null
  std::unique_ptr<EventFile> events_;                                    // may be null
  std::optional<EvaluationTable> table_;
  bool table_changed_ = false;
  std::vector<Entry> fresh_, handed_;
  std::size_t fresh_count_ = 0;
  Background background_;  // the last member: destroyed first, it uses the others
};

}  // namespace retropg
