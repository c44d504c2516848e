#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "retropg/experiment/arm.hpp"
#include "retropg/experiment/finished_run.hpp"
#include "retropg/experiment/keep.hpp"
#include "retropg/parallel/background.hpp"
#include "retropg/storage/run_folder.hpp"

namespace retropg {

struct RunStoreOptions {
  Keep keep{};
  Warn warn;                                  // any thread may call it, and the next one
  std::function<std::string()> stopped_by{};  // what made the experiment stop its runs; empty: another run failed
};

/// The runs of an experiment on disk, each in a run folder FOLDER/ARM/SEED, so that an experiment that was stopped runs
/// only what is missing. A run gets its folder when it has lasted a while, and from then on survives being killed; a
/// shorter one gets it when it is done. With `Keep::curves`, FOLDER/ARM/SEED.csv takes the place of a finished run.
class RunStore {
 public:
  /// Makes the folders of the arms. Throws RunError if it cannot.
  RunStore(const Place& folder, std::span<const Arm> arms, RunStoreOptions options);

  /// A run that is done. Throws Error if it was made with another configuration or is damaged.
  std::optional<FinishedRun> find(const Arm& arm, std::uint64_t seed) const;
  /// Makes all runs under way write a checkpoint soon.
  void save_checkpoints() { ++requests_; }

 private:
  friend class StoredRuns;
  Configuration configuration(const Arm& arm, std::uint64_t seed) const;
  Place path(const Arm& arm, std::uint64_t seed) const;
  void remove_unkept(const Place& run) const;
  /// Reads a run that is done and leaves of it what is to be kept.
  FinishedRun reduced(const Place& run) const;

  std::map<std::string, Place> folders_;  // by label
  RunStoreOptions options_;
  std::atomic<Index> requests_ = 0;
};

/// Receives how much of a run is done, from 0 to 1, after each iteration; returning false stops the run.
using GoOn = std::function<bool(double)>;

/// Runs one after another that a store keeps. Short ones are written while the next ones run.
class StoredRuns {
 public:
  /// Receives a run that is done and written.
  using Finished = std::function<void(FinishedRun)>;

  explicit StoredRuns(const RunStore& store) : store_(store) {}

  /// Resumes the run or begins it, until it is done or `go_on` returns false. Calls `finished` if it is done, maybe
  /// later and in another thread. Throws RunError, also for a run before, if it failed or could not be written.
  void run(const Arm& arm, std::uint64_t seed, const GoOn& go_on, Finished finished);
  /// Waits until all runs are written; throws like `run`.
  void wait();

 private:
  struct Going;
  void open(Going& going, const RunSoFar& so_far) const;
  void train(Going& going, const GoOn& go_on) const;
  void write(Going& going) const;

  const RunStore& store_;
  std::array<Background, 4> writers_;  // to write is to wait for the disk, which syncs several files at once
  std::size_t next_ = 0;
};

}  // namespace retropg
