#pragma once

#include <memory>
#include <vector>

#include "retropg/policy/policy.hpp"

namespace retropg {

struct HyperpolicyOptions {
  std::vector<double> variance{1.0};  // sigma^2 at the start, one number or one a parameter of the inner policy
  bool learn_deviation = false;       // log sigma is learned beside the means
};

/// Exploration in parameters: theta ~ N(mu, diag sigma^2) is drawn once a trajectory, which then acts with the mean of
/// `inner` at theta, without noise. As a Policy its own parameters are xi = mu, or (mu, log sigma) with learned
/// deviations; the means start where the inner policy does. The inner policy's variance and evidence mean nothing here.
std::unique_ptr<Policy> hyperpolicy(std::shared_ptr<const Policy> inner, const HyperpolicyOptions& options);

}  // namespace retropg
