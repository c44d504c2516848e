#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "retropg/configuration/train.hpp"
#include "retropg/storage/checkpoint.hpp"
#include "retropg/storage/examination.hpp"

namespace retropg {

/// What was found out about a run before its logs and policies are examined.
struct ExaminedRun {
  RunState state = RunState::kUnknown;
  std::optional<Configuration> configuration{};  // of config.toml, else of the newest checkpoint
  bool differs = false;                          // it is not that of the newest whole checkpoint
  Index newest = -1;                             // iteration of the newest checkpoint, whole or not
  std::vector<Checkpoint> stored{};              // whole ones, newest first, without state
  std::unique_ptr<TrainingRun> training{};
  std::optional<Checkpoint> restored{};  // whose state `training` has

  /// The run was ended by itself or by a signal it knows, so that its last files belong together.
  bool ended() const { return state == RunState::kDone || state == RunState::kInterrupted; }
  bool running() const { return state == RunState::kRunning; }
  /// The run has the state in which it ended, and was not made longer since.
  bool at_the_end() const { return ended() && restored && restored->iteration == newest && !differs; }
};

/// progress.csv, metrics.jsonl, evaluations.csv, monitor.csv, evaluations.npz and timing.jsonl: each for itself,
/// against the checkpoints, and against the run.
void examine_logs(const ExaminedRun& run, Findings& findings);

}  // namespace retropg
