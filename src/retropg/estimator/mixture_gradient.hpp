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
  double spread = 1.0;      // of what it draws; other than 1 only with Capability::kSpread
  double log_volume = 0.0;  // actions * log(spread)
};

/// What an importance weight covers.
enum class WeightForm {
  kDecision,    // the part of the trajectory up to the weighted reward
  kTrajectory,  // the whole trajectory
};

/// The weights of whole trajectories, W_{0:T-1}, and how often log W was truncated at kLogWeightCap.
struct TrajectoryWeights {
  std::vector<double> weights;
  Index saturated = 0;
};

/// Adds  scale sum_j sum_l psi_l C_l  over the trajectories of one batch to `gradient`, with scores at `target` and
///   C_l     = sum_{t >= l} W_{0:t} x_t        (decision form)      W_{0:T-1} D_l      (trajectory form)
///   W_{0:t} = p_target(tau_{0:t}) / sum_h share_h p_h(tau_{0:t}),
/// where D_l is the credit of step l and x_t = D_t - D_{t+1} is what step t adds to it: the discounted reward minus its
/// baseline. Prefix weights of a mixture are valid because the mixture's marginal density of a prefix is the mixture of
/// the prefix densities. If the target alone is the mixture, every weight is exactly 1.
void add_mixture_gradient(const StepwiseEvidence& evidence, Parameters target, std::span<const MixturePart> mixture,
                          WeightForm form, double scale, const OrderedSum& sum, std::vector<double>& gradient,
                          TrajectoryWeights& weights);

/// W_{0:T-1} of every trajectory of one batch, appended to `weights`.
void add_trajectory_weights(const StepwiseEvidence& evidence, Parameters target, std::span<const MixturePart> mixture,
                            const OrderedSum& sum, TrajectoryWeights& weights);

/// The diagnostics of the weights, which are already relative to uniform.
Diagnostics weight_diagnostics(const TrajectoryWeights& weights);

}  // namespace retropg
