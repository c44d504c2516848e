#pragma once

#include <vector>

namespace retropg {

/// The expected return J(theta) of a policy and its gradient in closed form: the ground truth for an estimator's bias
/// and error.
struct ExactGradient {
  double value = 0.0;
  std::vector<double> gradient;  // in the order of theta
};

}  // namespace retropg
