#pragma once

#include <cstdint>

namespace retropg {

/// The network of the window pass: Half Cheetah's in the paper, without biases.
inline constexpr std::int64_t kPassObservations = 17, kPassHidden = 32, kPassActions = 6;

/// What the pass reads: steps laid end to end, trajectories of equal length.
struct WindowPassInput {
  std::int64_t steps, length;
  const double* observations;    // steps x kPassObservations
  const double* actions;         // steps x kPassActions
  const double* behavior_means;  // steps x kPassActions
  const double* factors;         // weight of the trajectory times credit of the step
  double precision;              // 1 / sigma^2
  const double* theta;           // 17 x 32, 32 x 32 and 32 x 6 weights in the policy's order
};

/// The plain way to ask a tanh network about stored steps, as a yardstick: Eigen products over chunks of 64 steps, tanh
/// through Eigen's vectorized exp, log-ratios, distances and gradient all in one pass. log_ratio and distance receive a
/// number a trajectory, gradient a number a parameter.
void eigen_window_pass(const WindowPassInput& input, double* log_ratio, double* distance, double* gradient);

}  // namespace retropg
