#pragma once

#include <span>
#include <vector>

#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/policy/evidence.hpp"

namespace retropg {

/// A behavior: the policy at theta, with the standard deviation of its actions multiplied by `spread`.
struct FittedBehavior {
  std::vector<double> theta;
  double spread = 1.0;
};

struct BehaviorFitOptions {
  double spread_low = 0.25, spread_high = 4.0;
  Index steps = 1000;  // networks only, like the next four: steps of Adam
  double rate = 1e-4;
  double decay = 10.0;
  double tolerance = 1e-3;
  double divergence = 1.0;  // largest, in nats per trajectory; 0: no limit
};

/// One batch of the data a behavior is fitted to, and the weight of each of its trajectories (padded with 0).
struct WeightedBatch {
  const StepwiseEvidence* evidence = nullptr;
  std::vector<double> weights;
};

/// The behavior q that maximizes  sum_n W_n log q(tau_n)  starting from theta (cross-entropy):
///   mean linear in theta: the exact maximum, theta_b = theta + (sum W F)^{-1} (sum W psi);
///   networks: Adam on the mean with weight decay, at most `steps` steps, and no farther from the policy than
///   `divergence`, the mean over trajectories of sum_t KL(pi_theta || pi_b): a behavior whose
///   trajectories the policy would not produce is useless;
///   spread^2 = -2 sum_n W_n log pi_b(tau_n) / (d_a sum_n W_n T_n), with log pi as in `step_log_densities`,
///   clipped to its limits.
/// Returns the policy itself if the weights are all 0, the linear system is singular or the result is not finite.
FittedBehavior fit_behavior(const Policy& policy, Parameters theta, std::span<const WeightedBatch> data,
                            const BehaviorFitOptions& options, const OrderedSum& sum);

/// ||g_theta(tau_j)|| of every trajectory, with the credits in the evidence.
std::vector<double> gradient_norms(const Evidence& evidence, Parameters theta, const OrderedSum& sum);

}  // namespace retropg
