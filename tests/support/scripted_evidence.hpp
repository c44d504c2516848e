#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "retropg/policy/evidence.hpp"

namespace retropg::test {

/// Evidence that answers what it was told, whatever theta is: the weight rules can be tested on any log-ratios and
/// distances. The gradient of trajectory j is gradients[j] in every component.
class ScriptedEvidence final : public Evidence {
 public:
  ScriptedEvidence(std::vector<double> log_ratio, std::vector<double> distance, std::vector<double> gradients = {})
      : log_ratio_(std::move(log_ratio)), distance_(std::move(distance)), gradients_(std::move(gradients)) {
    gradients_.resize(log_ratio_.size(), 1.0);
  }

  Index size() const override { return as_index(log_ratio_.size()); }

  void compare(Parameters, Index first, Index last, double* log_ratio, double* distance) const override {
    for (Index j = first * kChunk; j < last * kChunk; ++j, ++log_ratio, ++distance) {
      const auto i = as_size(j);
      *log_ratio = j < size() ? log_ratio_[i] : 0.0;
      *distance = j < size() ? distance_[i] : 0.0;
    }
  }

  void weighted_gradient(Parameters theta, const double* weights, Index first, Index last,
                         double* rows) const override {
    for (Index chunk = first; chunk < last; ++chunk, rows += theta.size()) {
      double sum = 0.0;
      for (Index j = chunk * kChunk; j < std::min((chunk + 1) * kChunk, size()); ++j) {
        sum += weights[j - first * kChunk] * gradients_[as_size(j)];
      }
      std::fill_n(rows, theta.size(), sum);
    }
  }

  Index bytes() const override { return 0; }
  std::span<const double> numbers() const override { return {}; }

 private:
  std::vector<double> log_ratio_, distance_, gradients_;
};

/// Scripted evidence with distance 0.
inline std::unique_ptr<Evidence> scripted(std::vector<double> log_ratio) {
  std::vector<double> distance(log_ratio.size(), 0.0);
  return std::make_unique<ScriptedEvidence>(std::move(log_ratio), std::move(distance));
}

inline std::unique_ptr<Evidence> scripted(std::vector<double> log_ratio, std::vector<double> distance) {
  return std::make_unique<ScriptedEvidence>(std::move(log_ratio), std::move(distance));
}

}  // namespace retropg::test
