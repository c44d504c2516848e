#pragma once

#include <memory>
#include <optional>

#include "retropg/estimator/estimator.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

struct RnpgOptions {
  Index batch = 10;
  Index window = 8;              // batches, the fresh one included; kFullReuse for all
  double damping = 1.0;          // in mean diagonal entries of the Fisher matrix
  std::optional<double> step{};  // zeta of a step of its own; unset: the direction goes to the optimizer
  double kl_limit = 0.01;        // of a step of its own; 0: none
  double projection = 0.0;       // radius of the ball its own steps stay in; 0: none
};

/// RNPG, the natural gradient with reuse: the gradient from the whole window, the Fisher matrix from the fresh batch.
///   g = (1/M) sum_ij rho_ij g_theta(tau_ij)                         the MIW gradient of `windowed`
///   F = (1 / sum_j len_j) sum_{j fresh} sum_t J_t' J_t / sigma^2,   J = d mu / d theta: a mean over decisions
///   n = (F + epsilon I)^{-1} g,   epsilon = max(1e-8, damping trace(F) / d)
/// The estimate is n. With a step of its own, theta + zeta n is shortened to 1/2 dtheta' F dtheta <= kl_limit, which is
/// the mean KL divergence of a decision, and then projected on the ball. F = I is MIW-PG, a window of one the ordinary
/// natural gradient.
std::unique_ptr<Estimator> rnpg(const Policy& policy, const RnpgOptions& options);

}  // namespace retropg
