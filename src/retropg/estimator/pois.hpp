#pragma once

#include <memory>

#include "retropg/estimator/estimator.hpp"
#include "retropg/estimator/pois_bound.hpp"

namespace retropg {

struct PoisOptions {
  Index batch = 10;
  PoisBoundOptions bound{};
  Index offline = 10;     // the most steps on the bound per iteration
  bool centered = true;   // values less their mean
  bool natural = false;   // direction F^{-1} grad L instead of grad L
  bool diagonal = false;  // F is diagonal, as a hyperpolicy's: F^{-1} grad L is then exact and not damped
};

/// POIS: draws a batch at theta and climbs the bound L(theta') of `PoisBound` from theta' = theta, with no new
/// trajectories. A step of the climb:
///   n = grad L, or (F + damping I)^{-1} grad L with F = (1/N) sum_j F_j(theta'), which goes back to grad L where it
///       points downhill, or F^{-1} grad L where F is diagonal;
///   theta' <- theta' + epsilon n / (grad L' n), epsilon from `parabolic_search`.
/// It ends when sqrt(grad L' n) or the accepted gain is below 1e-4. On an action policy this is A-POIS, on a
/// hyperpolicy, whose evidence gives the exact divergence and Fisher matrix, P-POIS. The estimate's gradient is
/// grad L at theta. Keeps nothing between iterations.
std::unique_ptr<Estimator> pois(const Policy& policy, const PoisOptions& options);

}  // namespace retropg
