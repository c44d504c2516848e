#pragma once

#include <span>

#include "retropg/environment/environment.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Throws Error if actions cannot have been sampled from the policy at theta with this spread: clipped, rescaled or
/// replaced by their means, they would be reused with wrong likelihoods. Of Gaussian actions
/// (Policy::action_deviations), with z = (action - mean) / deviation over all n numbers of the batch:
///   one |z| > 12, which no run will ever see by chance (4e-33 per number),
///   sum z^2 outside the quantiles 5e-13 and 1 - 5e-13 of the chi-square distribution with n degrees of freedom, if
///   n >= 10: a false alarm per 10^12 batches, or
///   two or more that are exactly a mean, or an end of the range, and that cannot be so by the rounding of what was
///   told (training/told_signs.hpp): two false alarms in 10^12 batches.
/// With exploration in parameters, the actions that those of the trajectory give (training/told_function.hpp). Discrete
/// actions that are drawn are not checked.
void check_told_actions(const Policy& policy, Parameters theta, double spread, const TrajectoryBatch& batch,
                        std::span<const ActionRange> ranges = {});

}  // namespace retropg
