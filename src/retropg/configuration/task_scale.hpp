#pragma once

#include <span>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Whether a run begins with a pilot trajectory: the policy's inputs shall be scaled, and no scales are given.
bool needs_pilot(const Configuration& configuration);

/// The configuration with numbers in place of what it leaves to the task. From the root mean square of each observation
/// in the pilot (empty: there was none, and observations stay as they are): policy.scale, its inverse, and the range of
/// a network's actions. From policy.width, the ranges of actions and the number of features: the variances.
Configuration fitted_to_task(Configuration configuration, const EnvironmentDefinition& environment,
                             std::span<const double> root_mean_squares);

}  // namespace retropg
