#pragma once

#include <memory>

#include "retropg/estimator/estimator.hpp"
#include "retropg/estimator/pois_bound.hpp"

namespace retropg {

struct PoisOptions {
  Index batch = 10;
  PoisBoundOptions bound{};
  Index offline = 10;     // largest number of ascent steps on the bound per iteration
  bool centered = true;   // subtract the mean from the values
  bool natural = false;   // direction F^{-1} grad L instead of grad L
  bool diagonal = false;  // F is diagonal (hyperpolicies): F^{-1} grad L is exact and not damped
};

/// POIS: samples a batch at theta and climbs the bound L(theta') of `PoisBound` from theta' = theta, without new
/// trajectories. One step of the climb:
///   n = grad L, or (F + damping I)^{-1} grad L with F = (1/N) sum_j F_j(theta'), or grad L again if this
///       points downhill, or F^{-1} grad L if F is diagonal;
///   theta' <- theta' + epsilon n / (grad L' n), epsilon from `parabolic_search`.
/// It ends when sqrt(grad L' n) or the accepted gain is below 1e-4. On an action policy this is A-POIS, on a
/// hyperpolicy, whose evidence gives the exact divergence and Fisher matrix, P-POIS. The estimate's gradient is
/// grad L at theta. Stores nothing between iterations.
std::unique_ptr<Estimator> pois(const Policy& policy, const PoisOptions& options);

}  // namespace retropg
