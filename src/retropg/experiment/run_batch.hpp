#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "retropg/statistics/curve.hpp"
#include "retropg/configuration/configuration.hpp"

namespace retropg {

/// One arm of an experiment: a configuration to run several times. `train.seed` is overwritten.
struct Arm {
  std::string label;  // used in error messages
  Configuration configuration;
  double cost = 1.0;  // relative cost per run; expensive arms start first, so that no core idles at the end
};

/// The results of one arm's runs, in order of run number.
struct ArmResult {
  std::vector<Curve> curves;
  std::vector<double> seconds;
  Index steps = 0;
};

/// The `train.seed` of a run of an arm.
using SeedRule = std::function<std::uint64_t(Index arm, Index run)>;

/// Every run has an independent seed, derived from (experiment seed, arm, run).
SeedRule independent_seeds(std::uint64_t seed);

/// Run r of every arm has seed first + r, so that arms share initial states and `retropg train --seed` repeats a run.
SeedRule shared_seeds(std::uint64_t first);

/// Called regularly and after each run with (runs done, total runs), by one thread at a time; returning false stops the
/// experiment, including unfinished runs.
using RunProgress = std::function<bool(Index, Index)>;

/// Runs every arm `runs` times, each run on one thread, with up to `threads` runs at a time. An iteration that sampled
/// nothing from the current policy has no return and adds no point to the curve. Throws RunError if `progress` stopped
/// the experiment or a run failed.
std::vector<ArmResult> run_arms(std::span<const Arm> arms, Index runs, const SeedRule& seed, Index threads,
                                const RunProgress& progress);

}  // namespace retropg
