#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "retropg/experiment/curve.hpp"
#include "retropg/training/configuration.hpp"

namespace retropg {

/// One arm of an experiment: a configuration that is run several times. `train.seed` is overwritten.
struct Arm {
  Configuration configuration;
  double cost = 1.0;  // rough steps a run; long arms start first, so that no core waits at the end
};

/// What the runs of one arm gave, in the order of their numbers.
struct ArmResult {
  std::vector<Curve> curves;
  std::vector<double> seconds;
  Index steps = 0;
};

/// The seed of a run, named by (experiment seed, arm, run).
std::uint64_t run_seed(std::uint64_t seed, Index arm, Index run);

/// Runs every arm `runs` times, each run on one thread, as many at once as there are threads. `progress(done, total)`
/// is called after each run, never twice at a time; false leaves out the runs that have not started.
std::vector<ArmResult> run_arms(std::span<const Arm> arms, Index runs, std::uint64_t seed, Index threads,
                                const std::function<bool(Index, Index)>& progress);

}  // namespace retropg
