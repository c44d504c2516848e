#pragma once

#include <span>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/environment/exact.hpp"

namespace retropg {

/// Matrices are row-major, and their lengths set the dimensions: d_s^2 = #dynamics, d_a^2 = #action_cost. The default
/// is a damped spring in Euler steps of 0.2: the state is position and velocity, the action a force.
struct LinearQuadraticOptions {
  std::vector<double> dynamics{1.0, 0.2, -0.2, 0.8};   // A, d_s x d_s
  std::vector<double> input{0.0, 0.2};                 // B, d_s x d_a
  std::vector<double> state_cost{1.0, 0.0, 0.0, 1.0};  // Q, d_s x d_s, symmetric
  std::vector<double> action_cost{0.1};                // R, d_a x d_a, symmetric
  std::vector<double> start_range{1.0, 1.0};           // component i starts uniform in [-range_i, range_i]
  double process_noise = 0.0;                          // standard deviation of each component of the noise; 0: none
};

/// s' = A s + B a + N(0, process_noise^2 I), fully observed, with reward -(s' Q s + a' R a) of the state before the
/// step. Never terminates; T = 20, gamma = 1.
EnvironmentDefinition linear_quadratic(const LinearQuadraticOptions& options = {});

/// J and its gradient for the policy a ~ N(Theta s, diag variance), Theta in R^{d_a x d_s} row-major.
/// With L = A + B Theta, C = Q + Theta' R Theta and M_t = E[s_t s_t']:
///
///   M_0 = diag(start_range^2) / 3,  M_{t+1} = L M_t L' + B diag(variance) B' + process_noise^2 I
///   J = -sum_{t < T} gamma^t (tr(C M_t) + tr(R diag variance))
///   P_T = 0,  P_t = C + gamma L' P_{t+1} L
///   grad J = -2 sum_{t < T} gamma^t (R Theta + gamma B' P_{t+1} L) M_t
ExactGradient linear_quadratic_exact(const LinearQuadraticOptions& options, std::span<const double> theta,
                                     std::span<const double> variance, Index horizon, double discount);

/// At most 0 unless a cost can be negative.
ReturnRange linear_quadratic_range(const LinearQuadraticOptions& options);

/// The best return is that of the best action in every state, which is linear in the state with a gain that changes
/// from step to step, P_T = 0,
///
///   P_t = Q + gamma A' P_{t+1} A - gamma^2 A' P_{t+1} B (R + gamma B' P_{t+1} B)^{-1} B' P_{t+1} A
///   J = -tr(P_0 M_0) - process_noise^2 sum_{t < T - 1} gamma^{t+1} tr P_{t+1}
///
/// None if no action is best: R + gamma B' P_{t+1} B is not positive definite.
std::optional<ReferenceReturns> linear_quadratic_references(const LinearQuadraticOptions& options, Index horizon,
                                                            double discount);

}  // namespace retropg
