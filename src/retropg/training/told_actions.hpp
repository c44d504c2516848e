#pragma once

#include "retropg/policy/policy.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Throws Error if actions cannot have been sampled from the policy at theta with this spread: clipped, rescaled or
/// replaced by their means, they would be reused with wrong likelihoods. Only Gaussian actions are checked
/// (Policy::action_deviations). With z = (action - mean) / deviation over all n numbers of the batch:
///   one |z| > 12, which no run will ever see by chance (4e-33 per number), or
///   sum z^2 outside the quantiles 5e-13 and 1 - 5e-13 of the chi-square distribution with n degrees of freedom, if
///   n >= 10: a false alarm per 10^12 batches.
void check_told_actions(const Policy& policy, Parameters theta, double spread, const TrajectoryBatch& batch);

}  // namespace retropg
