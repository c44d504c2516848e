#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "retropg/estimator/windowed.hpp"

namespace retropg::test {

/// Every number of an estimate, to be compared bit by bit.
inline std::vector<double> numbers(const Estimate& estimate) {
  const Diagnostics& d = estimate.diagnostics;
  std::vector<double> all = estimate.gradient;
  all.insert(all.end(), {d.effective_sample_size, d.weight_mean, d.weight_max, d.log_divergence_max,
                         static_cast<double>(d.saturated)});
  for (const BatchDiagnostics& b : d.batches) {
    all.insert(all.end(), {static_cast<double>(b.age), b.effective_sample_size, b.log_divergence, b.alpha, b.lambda});
  }
  return all;
}

/// Every rule for the weights of a window.
inline std::vector<std::function<std::unique_ptr<WeightRule>()>> all_rules() {
  return {multiple_importance_weights,
          balance_heuristic,
          [] { return multiple_power_mean({}); },
          [] { return multiple_power_mean({.rule = CoefficientRule::kFixed}); },
          [] { return multiple_power_mean({.rule = CoefficientRule::kBoundOptimal}); },
          [] { return multiple_power_mean({}, {.estimator = DivergenceEstimator::kSample, .order = 1.5}); }};
}

}  // namespace retropg::test
