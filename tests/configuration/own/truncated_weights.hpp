#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "retropg/reuse/weights.hpp"

namespace retropg::test {

/// A weight rule as a user would write it: c = min(rho, cap) / M.
class TruncatedWeights final : public WeightRule {
 public:
  explicit TruncatedWeights(double cap) : log_cap_(std::log(cap)) {}

  void weigh(const Window& window, Parameters, const LikelihoodComparison& comparison, const OrderedSum& sum,
             Weights& weights) override {
    weights = {};
    weights.c.assign(comparison.log_ratio.size(), 0.0);
    log_divergences(window, comparison, {}, sum, weights.log_divergence);
    for (std::size_t i = 0; i < window.entries().size(); ++i) {
      const auto first = as_size(window.chunk_offsets()[i] * kChunk);
      for (std::size_t j = first; j < first + as_size(window.entries()[i].evidence->size()); ++j) {
        weights.c[j] =
            std::exp(std::min(comparison.log_ratio[j], log_cap_)) / static_cast<double>(window.trajectories());
      }
    }
  }

 private:
  double log_cap_;
};

}  // namespace retropg::test
