#pragma once

#include "retropg/reuse/weights.hpp"

namespace retropg::test {

/// What a rule makes of a window at theta.
inline Weights weigh(WeightRule& rule, const Window& window, Parameters theta, Index threads = 1) {
  const Workers workers(threads);
  const OrderedSum sum(workers);
  LikelihoodComparison comparison;
  compare(window, theta, rule.order(), sum, comparison);
  Weights weights;
  rule.weigh(window, theta, comparison, sum, weights);
  return weights;
}

}  // namespace retropg::test
