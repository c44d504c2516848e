#pragma once

#include "retropg/environment/environment.hpp"
#include "retropg/environment/exact.hpp"

namespace retropg {

struct BanditOptions {
  double target = 1.0;  // the best action
  double width = 1.0;   // how fast the reward drops away from it
};

/// One step with reward exp(-(a - target)^2 / (2 width^2)). The observation is the constant 1, so that a linear policy
/// without bias has mean theta. T = 1, gamma = 1.
EnvironmentDefinition gaussian_bandit(const BanditOptions& options = {});

/// J and its derivative for a ~ N(theta, variance). With v = width^2 + variance:
///   J = width / sqrt(v) exp(-(theta - target)^2 / (2 v)),  dJ/dtheta = -J (theta - target) / v
ExactGradient gaussian_bandit_exact(const BanditOptions& options, double theta, double variance);

}  // namespace retropg
