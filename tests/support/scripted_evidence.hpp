#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "retropg/policy/evidence.hpp"

namespace retropg::test {

/// Evidence that answers what it was told, whatever theta is: the weight rules can be tested on any log-ratios and
/// Renyi divergences. The divergences are those of the order 2 and grow with it
/// as Gaussian ones do; the gradient of trajectory j is gradients[j] in every component.
class ScriptedEvidence final : public Evidence {
 public:
  ScriptedEvidence(std::vector<double> log_ratio, std::vector<double> renyi, std::vector<double> gradients = {})
      : log_ratio_(std::move(log_ratio)), renyi_(std::move(renyi)), gradients_(std::move(gradients)) {
    gradients_.resize(log_ratio_.size(), 1.0);
  }

  Index size() const override { return as_index(log_ratio_.size()); }

  void compare(Parameters, double order, Index first, Index last, double* log_ratio, double* renyi,
               EvidencePass* /*pass*/) const override {
    for (Index j = first * kChunk; j < last * kChunk; ++j, ++log_ratio, ++renyi) {
      const auto i = as_size(j);
      *log_ratio = j < size() ? log_ratio_[i] : 0.0;
      *renyi = j < size() ? order * (order - 1.0) / 2.0 * renyi_[i] : 0.0;
    }
  }

  void weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                         EvidencePass* /*pass*/) const override {
    for (Index chunk = first; chunk < last; ++chunk, rows += theta.size()) {
      double sum = 0.0;
      for (Index j = chunk * kChunk; j < std::min((chunk + 1) * kChunk, size()); ++j) {
        sum += weights[j - first * kChunk] * gradients_[as_size(j)];
      }
      std::fill_n(rows, theta.size(), sum);
    }
  }

  std::span<const double> numbers() const override { return {}; }

 private:
  std::vector<double> log_ratio_, renyi_, gradients_;
};

/// Scripted evidence whose divergences are 0.
inline std::unique_ptr<Evidence> scripted(std::vector<double> log_ratio) {
  std::vector<double> renyi(log_ratio.size(), 0.0);
  return std::make_unique<ScriptedEvidence>(std::move(log_ratio), std::move(renyi));
}

inline std::unique_ptr<Evidence> scripted(std::vector<double> log_ratio, std::vector<double> renyi) {
  return std::make_unique<ScriptedEvidence>(std::move(log_ratio), std::move(renyi));
}

}  // namespace retropg::test
