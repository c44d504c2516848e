#pragma once

#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/policy/feature_map.hpp"

namespace retropg {

/// The fixed part of a linear Gaussian policy: a ~ N(Theta f(s), diag 1 / precision).
struct LinearModel : FeatureMap {
  Index action_size = 0;
  std::vector<double> deviation{};  // sigma, one per action
  std::vector<double> precision{};  // 1 / sigma^2

  Index parameter_count() const { return feature_count() * action_size; }

  bool operator==(const LinearModel&) const = default;

  /// 2 (theta - behavior); multiplied by the matrix of the quadratic form q, it gives the gradient of q.
  static std::vector<double> twice_the_shift(Parameters theta, Parameters behavior) {
    std::vector<double> shifts(theta.begin(), theta.end());
    for (std::size_t i = 0; i < shifts.size(); ++i) shifts[i] = 2.0 * (shifts[i] - behavior[i]);
    return shifts;
  }

  /// The mean of action u for one vector of features.
  double mean(Parameters theta, const double* feature, Index u) const {
    const Index count = feature_count();
    const double* row = theta.data() + u * count;
    double sum = 0.0;
    for (Index v = 0; v < count; ++v) sum += row[v] * feature[v];
    return sum;
  }

  /// The mean action for one vector of features.
  void mean(Parameters theta, const double* feature, double* mean) const {
    for (Index u = 0; u < action_size; ++u) mean[u] = this->mean(theta, feature, u);
  }
};

}  // namespace retropg
