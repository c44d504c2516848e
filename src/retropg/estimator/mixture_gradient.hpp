#pragma once

#include <span>
#include <vector>

#include "retropg/estimator/estimator.hpp"
#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/evidence.hpp"

namespace retropg {

/// One policy of the mixture that trajectories were drawn from.
struct MixturePart {
  Parameters theta;
  double share = 1.0;       // of the trajectories; shares add up to 1
  double spread = 1.0;      // of its actions; other than 1 only with Capability::kSpread
  double log_volume = 0.0;  // actions * log(spread)
};

/// What an importance weight covers.
enum class WeightForm {
  kDecision,    // the trajectory's beginning up to the reward that is weighed
  kTrajectory,  // all of it
};

/// The weights of whole trajectories, W_{0:T-1}, and how often log W was cut at kLogWeightCap.
struct TrajectoryWeights {
  std::vector<double> weights;
  Index saturated = 0;
};

/// Adds  scale sum_j sum_l psi_l C_l  over the trajectories of one batch to `gradient`, with scores at `target` and
///   C_l     = sum_{t >= l} W_{0:t} x_t        (decision form)      W_{0:T-1} D_l      (trajectory form)
///   W_{0:t} = p_target(tau_{0:t}) / sum_h share_h p_h(tau_{0:t}),
/// where D_l is the credit of step l and x_t = D_t - D_{t+1} what step t adds to it: the discounted reward, less its
/// baseline. Prefix weights of a mixture are right because the mixture's marginal of a prefix is the mixture of the
/// prefixes' densities. With the target alone in the mixture every weight is exactly 1.
void add_mixture_gradient(const StepwiseEvidence& evidence, Parameters target, std::span<const MixturePart> mixture,
                          WeightForm form, double scale, const OrderedSum& sum, std::vector<double>& gradient,
                          TrajectoryWeights& weights);

/// W_{0:T-1} of every trajectory of one batch, appended to `weights`.
void add_trajectory_weights(const StepwiseEvidence& evidence, Parameters target, std::span<const MixturePart> mixture,
                            const OrderedSum& sum, TrajectoryWeights& weights);

/// What the record says of the weights: those relative to uniform are the weights themselves.
Diagnostics weight_diagnostics(const TrajectoryWeights& weights);

}  // namespace retropg
