#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "retropg/statistics/curve.hpp"
#include "retropg/configuration/configuration.hpp"

namespace retropg {

/// One arm of an experiment: a configuration that is run several times. `train.seed` is overwritten.
struct Arm {
  std::string label;  // names the arm in errors
  Configuration configuration;
  double cost = 1.0;  // rough steps a run; long arms start first, so that no core waits at the end
};

/// What the runs of one arm gave, in the order of their numbers.
struct ArmResult {
  std::vector<Curve> curves;
  std::vector<double> seconds;
  Index steps = 0;
};

/// The `train.seed` of a run of an arm.
using SeedRule = std::function<std::uint64_t(Index arm, Index run)>;

/// Every run has numbers of its own, named by (experiment seed, arm, run).
SeedRule independent_seeds(std::uint64_t seed);

/// Run r of every arm has first + r, so that arms share their starts, and `retropg train --seed` repeats a run.
SeedRule shared_seeds(std::uint64_t first);

/// Called now and then, and after each run, with runs done and runs in all, never twice at a time; false ends the
/// experiment, runs under way included.
using RunProgress = std::function<bool(Index, Index)>;

/// Runs every arm `runs` times, each run on one thread, as many at once as there are threads. An iteration that drew
/// nothing from the current policy has no return and is no point of the curve. Throws RunError if `progress` ended it
/// before the last run, or if a run failed.
std::vector<ArmResult> run_arms(std::span<const Arm> arms, Index runs, const SeedRule& seed, Index threads,
                                const RunProgress& progress);

}  // namespace retropg
