#pragma once

#include <vector>

namespace retropg {

/// The expected return J(theta) of a policy and its gradient, computed instead of sampled: what an estimator's bias and
/// error are measured against.
struct ExactGradient {
  double value = 0.0;
  std::vector<double> gradient;  // in the order of theta
};

}  // namespace retropg
