#include "retropg/reuse/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "retropg/core/error.hpp"
#include "retropg/kernels/weights.hpp"
#include "retropg/reuse/weigh_parts.hpp"

namespace retropg {
namespace {

Index saturated(std::span<const double> log_ratios) {
  return std::ranges::count_if(log_ratios, [](double r) { return r > kLogWeightCap; });
}

class ImportanceWeights final : public WeightRule {
 public:
  explicit ImportanceWeights(bool single) : single_(single) {}

  void weigh(const Window& window, Parameters, const LikelihoodComparison& comparison, const OrderedSum& sum,
             Weights& weights) override {
    require(!single_ || window.size() == 1, "single importance weighting needs a window of exactly one batch");
    record_divergences(window, comparison, sum, weights);
    const auto total = static_cast<double>(window.trajectories());
    const double log_total = std::log(total), uniform = 1.0 / total;
    weigh_parts(window, sum, weights, [&](std::size_t, std::size_t first, std::size_t count) {
      kernels::exp_affine(count, comparison.log_ratio.data() + first, 1.0, kLogWeightCap, 0.0, uniform,
                          weights.c.data() + first);
    });
    weights.saturated = saturated(comparison.log_ratio);
    for (const WindowEntry& entry : window.entries()) {
      weights.log_alpha.push_back(std::log(static_cast<double>(entry.evidence->size())) - log_total);
      weights.log_lambda.push_back(-std::numeric_limits<double>::infinity());
    }
  }

 private:
  bool single_;
};

class MultiplePowerMean final : public WeightRule {
 public:
  MultiplePowerMean(const CoefficientOptions& coefficients, const DivergenceOptions& divergence)
      : coefficients_(coefficients), divergence_(divergence) {}

  double order() const override {
    return divergence_.estimator == DivergenceEstimator::kProduct ? divergence_.order : 2.0;
  }

  void weigh(const Window& window, Parameters theta, const LikelihoodComparison& comparison, const OrderedSum& sum,
             Weights& weights) override {
    log_divergences(window, comparison, divergence_, sum, weights.log_divergence);
    sizes_.clear();
    for (const WindowEntry& entry : window.entries()) sizes_.push_back(entry.evidence->size());
    Coefficients chosen = coefficients(coefficients_, sizes_, weights.log_divergence, as_index(theta.size()),
                                       window.has_late() ? window.ages() : std::vector<Index>());
    if (std::isnan(chosen.log_alpha.front())) return undefined(window, std::move(chosen), weights);
    weigh_parts(window, sum, weights, [&](std::size_t i, std::size_t first, std::size_t count) {
      // alpha, N and the weight are combined before exponentiating: their product can be finite where its factors are
      // not.
      const double log_scale = chosen.log_alpha[i] - std::log(static_cast<double>(sizes_[i]));
      const double at_one = std::exp(chosen.log_alpha[i]) / static_cast<double>(sizes_[i]);
      if (std::isinf(chosen.log_lambda[i])) {  // lambda = 0: plain importance weights, capped like those
        const bool underflows = at_one < std::numeric_limits<double>::min();
        kernels::exp_affine(count, comparison.log_ratio.data() + first, 1.0, kLogWeightCap,
                            underflows ? log_scale : 0.0, underflows ? 1.0 : at_one, weights.c.data() + first);
        return;
      }
      kernels::power_mean(count, comparison.log_ratio.data() + first, log_scale, at_one, chosen.log_lambda[i],
                          std::log1p(-std::exp(chosen.log_lambda[i])), weights.c.data() + first);
    });
    weights.saturated = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (!std::isinf(chosen.log_lambda[i]) || std::isinf(chosen.log_alpha[i])) continue;
      const auto& offsets = window.chunk_offsets();
      weights.saturated += saturated(
          std::span(comparison.log_ratio).subspan(padded_count(offsets[i]), padded_count(offsets[i + 1] - offsets[i])));
    }
    weights.log_alpha = std::move(chosen.log_alpha);
    weights.log_lambda = std::move(chosen.log_lambda);
  }

 private:
  /// Every batch is infinitely far away, so that none can have a share. The kernels would make ordinary numbers of it.
  static void undefined(const Window& window, Coefficients chosen, Weights& weights) {
    weights.c.assign(padded_count(window.chunk_offsets().back()), std::numeric_limits<double>::quiet_NaN());
    weights.saturated = 0;
    weights.log_alpha = std::move(chosen.log_alpha);
    weights.log_lambda = std::move(chosen.log_lambda);
  }

  CoefficientOptions coefficients_;
  DivergenceOptions divergence_;
  std::vector<Index> sizes_;
};

}  // namespace

std::unique_ptr<WeightRule> single_importance_weights() {
  return std::make_unique<ImportanceWeights>(true);
}

std::unique_ptr<WeightRule> multiple_importance_weights() {
  return std::make_unique<ImportanceWeights>(false);
}

std::unique_ptr<WeightRule> multiple_power_mean(const CoefficientOptions& coefficients,
                                                const DivergenceOptions& divergence) {
  require(divergence.order > 1.0, "the order of a Renyi divergence must be greater than 1");
  require(coefficients.constant > 0.0 && coefficients.divergence_bound > 0.0, "c and D must be positive");
  require(coefficients.confidence > 0.0 && coefficients.confidence < 1.0, "the confidence must lie in (0, 1)");
  require(coefficients.rule != CoefficientRule::kExplicit || !coefficients.lambda.empty(),
          "explicit coefficients need at least one value of lambda");
  return std::make_unique<MultiplePowerMean>(coefficients, divergence);
}

}  // namespace retropg
