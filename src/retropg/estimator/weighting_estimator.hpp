#pragma once

#include "retropg/reuse/weights.hpp"

namespace retropg {

/// Interface of estimators whose gradient is a weighted sum of single-trajectory gradients.
class WeightingEstimator {
 public:
  virtual ~WeightingEstimator() = default;
  /// What each trajectory's gradient was multiplied by in the last `estimate`, and why.
  virtual const Weights& weights() const = 0;
};

}  // namespace retropg
