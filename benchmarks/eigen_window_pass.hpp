#pragma once

#include <cstdint>

namespace retropg {

/// The network of the window pass: the paper's for Half Cheetah, without biases.
inline constexpr std::int64_t kPassObservations = 17, kPassHidden = 32, kPassActions = 6;

/// Input of the pass: concatenated steps of trajectories of equal length.
struct WindowPassInput {
  std::int64_t steps, length;
  const double* observations;    // steps x kPassObservations
  const double* actions;         // steps x kPassActions
  const double* behavior_means;  // steps x kPassActions
  const double* factors;         // weight of the trajectory times credit of the step
  double precision;              // 1 / sigma^2
  const double* theta;           // 17 x 32, 32 x 32 and 32 x 6 weights in the policy's order
};

/// A straightforward implementation with Eigen as a yardstick: products over chunks of 64 steps, tanh through Eigen's
/// vectorized exp, and log-ratios, distances and gradient in one pass. Writes one log_ratio and one distance per
/// trajectory and one gradient component per parameter.
void eigen_window_pass(const WindowPassInput& input, double* log_ratio, double* distance, double* gradient);

}  // namespace retropg
