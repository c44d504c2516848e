#pragma once

#include <memory>
#include <optional>

#include "retropg/estimator/estimator.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

struct RnpgOptions {
  Index batch = 10;
  Index window = 8;              // batches, including the fresh one; kFullReuse for all
  double damping = 1.0;          // in mean diagonal entries of the Fisher matrix
  std::optional<double> step{};  // zeta, if rnpg takes the step itself; unset: the optimizer does
  double kl_limit = 0.01;        // of a step taken by rnpg itself; 0: no limit
  double projection = 0.0;       // radius of the ball such steps stay in; 0: no limit
};

/// RNPG, the natural gradient with reuse: the gradient from the whole window, the Fisher matrix from the fresh batch.
///   g = (1/M) sum_ij rho_ij g_theta(tau_ij)                         the MIW gradient of `windowed`
///   F = (1 / sum_j len_j) sum_{j fresh} sum_t J_t' J_t / sigma^2,   J = d mu / d theta: a mean over decisions
///   n = (F + epsilon I)^{-1} g,   epsilon = max(1e-8, damping trace(F) / d)
/// The estimate is n. If rnpg takes the step itself, dtheta = zeta n is shortened to 1/2 dtheta' F dtheta <= kl_limit,
/// the mean KL divergence per decision, and theta + dtheta is projected onto the ball. F = I gives MIW-PG, and a window
/// of one gives the ordinary natural gradient.
std::unique_ptr<Estimator> rnpg(const Policy& policy, const RnpgOptions& options);

}  // namespace retropg
