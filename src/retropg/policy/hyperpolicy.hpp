#pragma once

#include <memory>
#include <vector>

#include "retropg/policy/policy.hpp"

namespace retropg {

struct HyperpolicyOptions {
  std::vector<double> variance{1.0};  // sigma^2 at the start, one number or one per parameter of the inner policy
  bool learn_deviation = false;       // also learn log sigma
};

/// Exploration in parameters: theta ~ N(mu, diag sigma^2) is drawn once per trajectory, which then acts with the mean
/// of `inner` at theta, without noise. The parameters of this Policy are xi = mu, or (mu, log sigma) if deviations are
/// learned; the means start at the inner policy's initial parameters. The inner policy's variance and evidence are not
/// used.
std::unique_ptr<Policy> hyperpolicy(std::shared_ptr<const Policy> inner, const HyperpolicyOptions& options);

}  // namespace retropg
