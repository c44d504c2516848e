#pragma once

#include <cstdint>

#include "retropg/environment/environment.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// One trajectory from a random stream of its own, with actions uniform in their ranges or over the discrete ones, or 0
/// if they have neither. Throws Error if the environment cannot be simulated.
TrajectoryBatch pilot_trajectory(const EnvironmentDefinition& environment, std::uint64_t seed);

}  // namespace retropg
