#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/experiment/arm.hpp"
#include "retropg/experiment/run_store.hpp"
#include "retropg/statistics/curve.hpp"

namespace retropg {

/// The results of one arm's runs, in order of run number.
struct ArmResult {
  std::vector<Curve> curves;
  std::vector<double> seconds;
  Index steps = 0;
};

/// The `train.seed` of a run of an arm.
using SeedRule = std::function<std::uint64_t(Index arm, Index run)>;

/// Run r of every arm has seed first + r, so that arms share initial states and `retropg train --seed` repeats a run.
SeedRule shared_seeds(std::uint64_t first);

/// How far the runs of an experiment have come.
struct RunsDone {
  Index done, total;
  double under_way;  // how much of the other runs is done, in runs: 1.5 are three that are half done
};

/// Called regularly and after each run, by one thread at a time; returning false stops the experiment, including
/// unfinished runs.
using RunProgress = std::function<bool(const RunsDone&)>;

/// `progress` stopped the experiment.
class ExperimentStopped : public RunError {
 public:
  ExperimentStopped(Index done, Index total);
  Index done, total;  // runs
};

/// Runs every arm `runs` times, each run on one thread, with up to `threads` runs at a time. A store (may be null)
/// keeps the runs and has those of an earlier call, which are not run again. An iteration that sampled nothing from the
/// current policy has no return and adds no point to the curve. Throws ExperimentStopped, a RunError if a run failed or
/// could not be written, or an Error if the store has something else.
std::vector<ArmResult> run_arms(std::span<const Arm> arms, Index runs, const SeedRule& seed, Index threads,
                                const RunProgress& progress, RunStore* store = nullptr);

}  // namespace retropg
