#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acting_policy.hpp"
#include "gym_environment.hpp"
#include "retropg/experiment/resolve.hpp"
#include "retropg/storage/run_folder.hpp"

namespace retropg::python {

/// A run that Python starts: in a folder, as the program makes it, or in memory.
class Training {
 public:
  /// On an environment that is handed over, or, if that is null, on the one that is named. Throws Error on wrong
  /// settings, and on those that nobody reads.
  Training(const Given& given, const std::shared_ptr<GymSource>& environment);
  /// Goes on with the run in a folder.
  Training(const std::string& path, const ResumeChanges& changes, const std::shared_ptr<GymSource>& environment);

  const Configuration& configuration() const { return run_->configuration(); }
  Index planned_iterations() const { return run_->planned_iterations(); }
  bool finished() const { return run_->trainer().finished(); }

  /// Makes a run folder; `command` is written into it.
  void open(const std::string& path, const std::string& command);

  /// Trains to the end, or until the callback returns False or raises, or Ctrl-C is pressed; a folder then has a
  /// checkpoint, and only what the callback raises, or a second Ctrl-C, is thrown. `callback` gets the record of every
  /// iteration, `progress` now and then the last one. Needs the lock of the interpreter, which it gives back for the
  /// time of the work.
  void train(const std::optional<nanobind::callable>& callback, const std::optional<nanobind::callable>& progress);

  const RunResult& result() const { return result_; }
  /// Of a run without a folder.
  const std::vector<IterationRecord>& records() const { return records_; }

  /// "returned", "best" or "final".
  ActingPolicy policy(const std::string& which) const;

  /// Writes a run that was made in memory as a run folder.
  void save(const std::string& path, const std::string& command);

 private:
  void keep_extendable();

  std::unique_ptr<TrainingRun> run_;
  std::unique_ptr<RunFolder> folder_;  // null: in memory
  std::vector<IterationRecord> records_;
  // Before the first iteration that a larger budget might have made larger: from here it can go on. Without a folder.
  std::optional<SavedState> extendable_;
  std::size_t extendable_records_ = 0;
  RunResult result_;
  std::string interrupted_by_;
};

}  // namespace retropg::python
