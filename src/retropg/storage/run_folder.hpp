#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "retropg/configuration/configuration.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/checkpoint_folder.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/run_log.hpp"

namespace retropg {

/// The name of a run's folder, without the date: <env>__<algo>__<seed>.
std::string run_name(const Configuration& configuration);

/// Receives one line about something that went wrong, but does not stop the run.
using Warn = std::function<void(const std::string&)>;

/// A run that is given a folder only after a while, so that a short one costs little: what it has done until then.
struct RunSoFar {
  std::span<const IterationRecord> records{};
  double seconds = 0.0;
  // Of the beginning and the end of the run. Without them it is done or has to be begun again, and cannot be made
  // longer.
  bool checkpoints = true;
};

/// A run on disk, which survives being killed at any moment (docs/reliability.md). Results that the seed determines go
/// to progress.csv, metrics.jsonl and policy/; times, hosts and versions only to timing.jsonl and provenance.json.
class RunFolder {
 public:
  /// Fills a folder that was just made, with the state before the next iteration.
  RunFolder(const Place& folder, TrainingRun& run, const std::string& command, Warn warn, const RunSoFar& so_far = {});
  /// Continues after a checkpoint whose state the run has; `lock` is that of the folder.
  RunFolder(const Place& folder, TrainingRun& run, CheckpointFolder checkpoints, const Checkpoint& from,
            FolderLock lock, Warn warn);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  std::filesystem::path path() const { return path_.path(); }
  /// Wall time of the run before it was resumed, and the mean return of its last batch so far.
  double seconds_before() const { return seconds_before_; }
  double last_return() const { return last_return_; }

  /// Writes down one iteration, and now and then what there is: lines, the best policy, a checkpoint.
  void record(const IterationRecord& record);
  /// Writes down iterations that were done in memory.
  void add(std::span<const IterationRecord> records);
  /// Writes all of that now. If something fails, warns and keeps what there is.
  void save();
  /// Writes policies, lines, a checkpoint and the status: done, or by what the run was interrupted. The result's
  /// seconds are those of the whole run. Throws RunError, with as much written as possible, if something could not be.
  void finish(const RunResult& result, const std::string& interrupted_by = "");
  /// Writes what there is, and the reason; for a broken trajectory also failure.safetensors. Never throws.
  void fail(const std::exception& reason) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void set_status(const std::string& text);
  void save_policy_file(const char* name, Parameters theta);
  void save_best();
  void save_evaluations();
  void add_timing(double seconds);
  void flush();
  void checkpoint();
  void try_checkpoint();
  template <typename Work>
  bool attempt(const Work& work);
  double seconds_at(Clock::time_point time) const;

  Place path_;  // open, so that it stays this folder if it is moved
  TrainingRun& run_;
  Warn warn_;
  FolderLock lock_;
  bool ends_with_checkpoint_ = true;
  CheckpointFolder checkpoints_;
  std::unique_ptr<RunLog> log_;
  std::unique_ptr<LogFile> timing_;
  Clock::time_point start_, next_flush_, next_best_, next_table_, next_checkpoint_;
  double seconds_before_ = 0.0, last_return_ = 0.0;
  double best_saved_;  // its mean return
  bool warned_ = false;
};

/// A run that was found in a folder and is ready to go on.
struct ResumedRun {
  std::unique_ptr<TrainingRun> run;
  std::unique_ptr<RunFolder> folder;
  Index iteration = 0;   // completed
  std::string ended_by;  // flags of the limits that a complete run has reached; empty if it goes on
};

/// A run cannot go on because none of its checkpoints can be used, which does not keep it from being repeated.
class NoCheckpoint : public Error {
 public:
  using Error::Error;
};

/// What may differ when a run goes on; unset: as it was.
struct ResumeChanges {
  std::optional<Index> threads, lanes, iterations, budget, steps;
};

/// Whether a key has no influence on results, such as the number of threads.
bool may_differ_when_resumed(const std::string& key);

/// Gives the run the state of the newest whole checkpoint in a folder from which it can go on with the folder's
/// configuration, and returns that checkpoint, without its state. Changes nothing on disk; throws like `resume_run`.
Checkpoint restore_newest(TrainingRun& run, const Configuration& stored, const Place& path, const Warn& warn);

/// Restores the run in a folder from its newest checkpoint that is whole. Throws Error, with nothing changed, if there
/// is none, or if the run is in use, was made with another configuration, or has lost something that it needs.
/// A run on an environment that was handed over needs it again.
ResumedRun resume_run(const Place& path, const ResumeChanges& changes, const Warn& warn,
                      const std::optional<EnvironmentDefinition>& handed_over = {});

}  // namespace retropg
