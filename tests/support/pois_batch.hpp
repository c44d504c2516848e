#pragma once

#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/estimator/pois.hpp"
#include "support/drift_environment.hpp"
#include "support/laboratory.hpp"

namespace retropg::test {

inline constexpr Index kBatch = 7;  // trajectories

/// One batch of the drift environment at some theta.
class OnABatch {
 public:
  explicit OnABatch(Index size = kBatch)
      : lab_(drift(), {.variance = {0.4}, .bias = true}, 5), batch_(lab_.collect(theta_, 1, size, Credit::kOne)) {}

  PoisBound bound(const PoisBoundOptions& options) {
    return PoisBound(*batch_.evidence, values(), options, lab_.sum());
  }
  std::vector<double> values(bool centered = true) const {
    std::vector<double> result = batch_.returns;
    const double center = centered ? mean(result) : 0.0;
    for (double& value : result) value -= center;
    return result;
  }
  const std::vector<double>& theta() const { return theta_; }
  Laboratory& lab() { return lab_; }
  const Batch& batch() const { return batch_; }

 private:
  const std::vector<double> theta_ = random_numbers(3, 0.3, 1);
  Laboratory lab_;
  Batch batch_;
};

/// Every kind of the bound at one delta.
inline std::vector<PoisBoundOptions> all_bounds(double delta = 0.6) {
  std::vector<PoisBoundOptions> result;
  for (const PenaltyScale scale : {PenaltyScale::kMaximum, PenaltyScale::kDeviation}) {
    for (const PenaltyCount count : {PenaltyCount::kDivergence, PenaltyCount::kEffective}) {
      for (const bool self : {false, true}) {
        result.push_back({.delta = delta, .scale = scale, .count = count, .self_normalized = self});
      }
    }
  }
  return result;
}

}  // namespace retropg::test
