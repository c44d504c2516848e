#pragma once

#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/network/network.hpp"
#include "retropg/policy/feature_map.hpp"

namespace retropg {

/// Standard deviations, one per action.
struct Deviations {
  std::vector<double> log_sigma, sigma;
  std::vector<double> slope;  // d log sigma / d parameter: 1, or 0 where the parameter is below the least log sigma
};

/// The fixed part of a Gaussian policy with learned deviations, a ~ N(mu(s), diag sigma^2). The mean is
/// mu = action_shift + action_scale * network(f(s)), and theta = (parameters of the network, log sigma per action).
struct LearnedDeviationModel {
  FeatureMap input;
  NetworkShape network;
  std::vector<double> action_shift{}, action_scale{};  // empty: the mean is the output itself
  std::vector<double> deviation{};                     // sigma at the start, one per action

  bool operator==(const LearnedDeviationModel&) const = default;

  Index action_size() const { return network.sizes.back(); }
  Index parameter_count() const { return network.parameter_count() + action_size(); }
  /// d mu / d output of an action.
  double action_slope(Index u) const { return action_scale.empty() ? 1.0 : action_scale[as_size(u)]; }

  /// One step's row of evidence: features, action, behavior mean, credit.
  Index action_at() const { return input.feature_count(); }
  Index behavior_at() const { return action_at() + action_size(); }
  Index credit_at() const { return behavior_at() + action_size(); }
  Index row_size() const { return credit_at() + 1; }

  /// sigma never falls below 1e-13 of what it was at the start: noise that vanishes in the rounding of an action says
  /// nothing, and 1 / sigma^2 would overflow.
  Deviations deviations(Parameters theta) const;
  /// Turns rows of network outputs into the policy's means, in place.
  void scale_means(Index steps, double* outputs) const;
};

}  // namespace retropg
