#include "retropg/reuse/weights.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <span>

#include "retropg/core/error.hpp"
#include "retropg/kernels/weights.hpp"

namespace retropg {
namespace {

std::size_t numbers(Index chunks) {
  return as_size(chunks * kChunk);
}

/// Runs weigh_part(i, first number, count) over the whole window in parallel and clears the padding of every batch.
template <typename Part>
void weigh_parts(const Window& window, const OrderedSum& sum, Weights& weights, const Part& weigh_part) {
  const Index chunks = window.chunk_offsets().back();
  weights.c.resize(numbers(chunks));
  sum.each(chunks, [&](Index from, Index to) {
    window.for_entries(from, to, [&](std::size_t i, Index first, Index last, Index offset) {
      weigh_part(i, numbers(offset + first), numbers(last - first));
      for (Index j = window.entries()[i].evidence->size(); j < last * kChunk; ++j)
        weights.c[numbers(offset) + as_size(j)] = 0.0;
    });
  });
}

/// Divergences are part of the record whatever the rule does with them.
void record_divergences(const Window& window, const LikelihoodComparison& comparison, const OrderedSum& sum,
                        Weights& weights) {
  log_divergences(window, comparison, {}, sum, weights.log_divergence);
  weights.log_alpha.clear();
  weights.log_lambda.clear();
  weights.saturated = 0;
}

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

class BalanceHeuristic final : public WeightRule {
 public:
  void weigh(const Window& window, Parameters, const LikelihoodComparison& comparison, const OrderedSum& sum,
             Weights& weights) override {
    record_divergences(window, comparison, sum, weights);
    update(window);
    std::vector<double> log_sizes;
    for (const WindowEntry& entry : window.entries()) {
      log_sizes.push_back(std::log(static_cast<double>(entry.evidence->size())));
    }
    weigh_parts(window, sum, weights, [&](std::size_t i, std::size_t first, std::size_t count) {
      const std::size_t within = first - numbers(window.chunk_offsets()[i]);
      std::vector<const double*> rows;
      for (const auto& row : batches_[i].rows) rows.push_back(row.data() + within);
      kernels::balance(count, rows.size(), rows.data(), log_sizes.data(), comparison.log_ratio.data() + first,
                       weights.c.data() + first);
    });
  }

  void forget() override { batches_.clear(); }

  double bytes_per_pair() const override { return sizeof(double); }

 private:
  /// One stored batch: row l holds log p_l(tau) - log p_i(tau) of its trajectories for every behavior l in the window.
  struct CachedBatch {
    Index id;
    std::deque<std::vector<double>> rows;
  };

  static std::vector<double> row(const WindowEntry& batch, const WindowEntry& behavior) {
    const Index chunks = chunk_count(batch.evidence->size());
    std::vector<double> log_ratio(numbers(chunks)), unused(log_ratio.size());
    batch.evidence->compare(behavior.behavior, 2.0, 0, chunks, log_ratio.data(), unused.data(), nullptr);
    return log_ratio;
  }

  /// Follows the window: batches and behaviors that left it go, new ones come.
  void update(const Window& window) {
    const auto& entries = window.entries();
    while (!batches_.empty() && batches_.front().id < entries.front().id) {
      batches_.pop_front();
      for (CachedBatch& batch : batches_) batch.rows.pop_front();
    }
    const bool follows =
        batches_.size() <= entries.size() &&
        std::equal(batches_.begin(), batches_.end(), entries.begin(),
                   [](const CachedBatch& batch, const WindowEntry& entry) { return batch.id == entry.id; });
    if (!follows) batches_.clear();  // another window
    for (std::size_t fresh = batches_.size(); fresh < entries.size(); ++fresh) {
      for (std::size_t i = 0; i < fresh; ++i) batches_[i].rows.push_back(row(entries[i], entries[fresh]));
      batches_.push_back({entries[fresh].id, {}});
      for (std::size_t l = 0; l <= fresh; ++l) batches_.back().rows.push_back(row(entries[fresh], entries[l]));
    }
  }

  std::deque<CachedBatch> batches_;
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
    Coefficients chosen = coefficients(coefficients_, sizes_, weights.log_divergence, as_index(theta.size()));
    weigh_parts(window, sum, weights, [&](std::size_t i, std::size_t first, std::size_t count) {
      // One exponential holds alpha, N and the weight: their product is finite where its factors are not.
      const double log_scale = chosen.log_alpha[i] - std::log(static_cast<double>(sizes_[i]));
      if (std::isinf(chosen.log_lambda[i])) {  // lambda = 0: plain importance weights, cut like those
        kernels::exp_affine(count, comparison.log_ratio.data() + first, 1.0, kLogWeightCap, log_scale, 1.0,
                            weights.c.data() + first);
        return;
      }
      const double at_one = std::exp(chosen.log_alpha[i]) / static_cast<double>(sizes_[i]);
      kernels::power_mean(count, comparison.log_ratio.data() + first, log_scale, at_one, chosen.log_lambda[i],
                          std::log1p(-std::exp(chosen.log_lambda[i])), weights.c.data() + first);
    });
    weights.saturated = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (!std::isinf(chosen.log_lambda[i]) || std::isinf(chosen.log_alpha[i])) continue;
      const auto& offsets = window.chunk_offsets();
      weights.saturated +=
          saturated(std::span(comparison.log_ratio).subspan(numbers(offsets[i]), numbers(offsets[i + 1] - offsets[i])));
    }
    weights.log_alpha = std::move(chosen.log_alpha);
    weights.log_lambda = std::move(chosen.log_lambda);
  }

 private:
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

std::unique_ptr<WeightRule> balance_heuristic() {
  return std::make_unique<BalanceHeuristic>();
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
