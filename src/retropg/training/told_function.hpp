#pragma once

#include "retropg/policy/policy.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// With exploration in parameters (TrajectoryBatch::sampled), throws Error if the actions of a trajectory are not those
/// of the policy with its parameters at its observations: clipped actions, observations of another scale, or parameters
/// of another trajectory. A number may differ by a thousandth of the largest one of its trajectory, and by 1e-6: plants
/// log floats and decimals. Of discrete actions, one in a hundred and one more may differ, where two are equally good
/// but for rounding. There is no chance in this, so there are no false alarms but for coarser logs. Other policies, and
/// batches without the parameters, are not checked.
void check_actions_of_parameters(const Policy& policy, const TrajectoryBatch& batch);

}  // namespace retropg
