#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/parallel/background.hpp"
#include "retropg/storage/log_file.hpp"
#include "retropg/training/run.hpp"

namespace retropg {

/// The first line of progress.csv.
inline constexpr std::string_view kProgressColumns =
    "iteration,trajectories,steps,return_mean,return_std,gradient_norm,ess,weight_mean,weight_max,log_d2_max,skipped,"
    "dropped";

/// The first line of evaluations.csv.
inline constexpr std::string_view kEvaluationColumns = "iteration,trajectories,steps,mean,half_width,episodes";

/// The files that a run has besides progress.csv.
struct RunLogFiles {
  Index metrics_every = 0;  // iterations per line of metrics.jsonl; 0: no such file
  bool evaluations = false;

  explicit RunLogFiles(const Configuration& configuration)
      : metrics_every(configuration.log.metrics), evaluations(configuration.train.eval_every > 0) {}
};

/// The records of a run as text: progress.csv, one line per iteration; metrics.jsonl, one line per so many iterations;
/// and evaluations.csv, one line per evaluation. Lines are formatted by a thread of its own while the run goes on.
class RunLog {
 public:
  /// Starts new files in the folder.
  RunLog(const std::filesystem::path& folder, const RunLogFiles& files);
  /// Continues the files after the first bytes of each.
  RunLog(const std::filesystem::path& folder, const RunLogFiles& files, const std::map<std::string, Index>& lengths);
  ~RunLog();

  void add(const IterationRecord& record);
  /// Adds many at once, formatted by the caller's thread.
  void add(std::span<const IterationRecord> records);
  /// Adds the evaluation at the end of a run that no record has. A longer run does not have it, so it comes after what
  /// the last checkpoint counts.
  void add_last_evaluation(const RunResult& result);
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

  template <typename Use>
  void for_files(const Use& use) const;

  Index metrics_every_;
  LogFile progress_;
  std::unique_ptr<LogFile> metrics_, evaluations_;  // may be null
  std::vector<IterationRecord> fresh_, handed_;
  std::size_t fresh_count_ = 0;
  Background background_;  // the last member: destroyed first, it uses the others
};

}  // namespace retropg
