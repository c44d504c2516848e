#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// The fixed part of a linear Gaussian policy: a ~ N(Theta f(s), diag 1 / precision).
struct LinearModel {
  Index observation_size = 0;
  Index action_size = 0;
  bool bias = false;
  std::vector<double> shift, scale;  // empty: features are the observation itself; scale 0: not a feature
  std::vector<double> deviation;     // sigma, one per action
  std::vector<double> precision;     // 1 / sigma^2

  Index feature_count() const { return observation_size - std::ranges::count(scale, 0.0) + (bias ? 1 : 0); }
  Index parameter_count() const { return feature_count() * action_size; }
  bool plain_features() const { return !bias && shift.empty(); }

  bool operator==(const LinearModel&) const = default;

  /// Computes rows of features from rows of observations, `lanes` numbers per row.
  void features(Index lanes, const double* observations, double* rows) const {
    double* row = rows;
    for (Index i = 0; i < observation_size; ++i) {
      const auto at = as_size(i);
      const double offset = shift.empty() ? 0.0 : shift[at], factor = scale.empty() ? 1.0 : scale[at];
      if (factor == 0.0) continue;
      for (Index l = 0; l < lanes; ++l) row[l] = (observations[i * lanes + l] - offset) * factor;
      row += lanes;
    }
    if (!bias) return;
    for (Index l = 0; l < lanes; ++l) row[l] = 1.0;
  }

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
