#pragma once

#include <algorithm>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// f(s) = ((s - shift) * scale, 1 if there is a bias), without the observations whose scale is 0.
struct FeatureMap {
  Index observation_size = 0;
  bool bias = false;
  std::vector<double> shift{}, scale{};  // empty: features are the observation itself

  struct Scaling {
    double shift = 0.0, scale = 1.0;
    double operator()(double observed) const { return (observed - shift) * scale; }
  };
  Scaling scaling(Index i) const { return shift.empty() ? Scaling() : Scaling{shift[as_size(i)], scale[as_size(i)]}; }
  /// Without the bias.
  Index kept_count() const { return observation_size - std::ranges::count(scale, 0.0); }
  Index feature_count() const { return kept_count() + (bias ? 1 : 0); }
  bool plain_features() const { return !bias && shift.empty(); }

  bool operator==(const FeatureMap&) const = default;

  /// Computes rows of features from rows of observations, `lanes` numbers per row.
  void features(Index lanes, const double* observations, double* rows) const {
    double* row = rows;
    for (Index i = 0; i < observation_size; ++i) {
      const Scaling scaled = scaling(i);
      if (scaled.scale == 0.0) continue;
      for (Index l = 0; l < lanes; ++l) row[l] = scaled(observations[i * lanes + l]);
      row += lanes;
    }
    if (!bias) return;
    for (Index l = 0; l < lanes; ++l) row[l] = 1.0;
  }
};

/// Throws Error, with the names of the configuration keys, if shift and scale do not fit the observation or leave no
/// feature.
void check(const FeatureMap& map);
/// The same for a network, whose inputs are the observations that are kept.
void check_network_input(const FeatureMap& map);

/// Computes rows of features from rows of observations; often the two are the same.
class FeatureRows {
 public:
  FeatureRows(const FeatureMap& map, Index lanes) : map_(map), lanes_(lanes) {
    if (!map.plain_features()) rows_.resize(as_size(map.feature_count() * lanes));
  }

  const double* operator()(const double* observations) {
    if (map_.plain_features()) return observations;
    map_.features(lanes_, observations, rows_.data());
    return rows_.data();
  }

 private:
  const FeatureMap& map_;
  Index lanes_;
  std::vector<double> rows_;
};

}  // namespace retropg
