#pragma once

namespace retropg {

// The parts of divergences between Gaussians that their deviations make, with change = log sigma - log sigma_b. They
// are exactly 0 at change = 0, and accurate near it, where the parts of first order cancel.

/// e^y - 1 - y
double exponential_rest(double y);

/// log d_order(N(m, sigma^2) || N(m, sigma_b^2)) = -(order - 1) change - log(v) / 2, where v = 1 - excess and
/// excess = (order - 1)(e^{2 change} - 1) < 1. With unequal means, add order (order - 1) / 2 (m - m_b)^2 / (sigma_b^2
/// v).
double deviation_renyi(double order, double change, double excess);

/// KL(N(m, sigma^2) || N(m, sigma_b^2)). With unequal means, add (m - m_b)^2 / (2 sigma_b^2).
inline double deviation_divergence(double change) {
  return 0.5 * exponential_rest(2.0 * change);
}

}  // namespace retropg
