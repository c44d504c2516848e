#include "retropg/estimator/on_policy.hpp"

#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/estimator/weighting_estimator.hpp"
#include "retropg/policy/evidence_sum.hpp"

namespace retropg {
namespace {

class OnPolicy final : public Estimator, public WeightingEstimator {
 public:
  OnPolicy(Index batch, Credit credit) : batch_(batch), credit_(credit) {}

  std::vector<Draw> plan(Index, Parameters theta, Index limit, const OrderedSum&) override {
    return draw_at(theta, batch_, limit);
  }

  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override {
    const Evidence& evidence = *fresh.front().evidence;
    const Index size = evidence.size();
    weights_.c = padded_weights(evidence, 1.0 / static_cast<double>(size));
    Estimate result{.gradient = std::vector<double>(theta.size()), .diagnostics = {}};
    sum_rows(
        evidence, sum,
        [&](Index first, Index last, double* rows) {
          evidence.weighted_gradient(theta, weights_.c.data() + first * kChunk, first, last, rows, nullptr);
        },
        result.gradient);
    result.diagnostics.effective_sample_size = static_cast<double>(size);
    result.diagnostics.batches = {{.age = 0,
                                   .effective_sample_size = static_cast<double>(size),
                                   .log_divergence = 0.0,
                                   .alpha = 1.0,
                                   .lambda = 1.0}};
    return result;
  }

  const Weights& weights() const override { return weights_; }
  Credit credit() const override { return credit_; }
  Index largest_iteration() const override { return batch_; }
  double iterations_within(double budget) const override { return batches_within(budget, batch_); }
  double bytes_needed(double bytes_per_trajectory, double) const override {
    return static_cast<double>(batch_) * bytes_per_trajectory;
  }
  void state(Archive&) override {}

 private:
  Index batch_;
  Credit credit_;
  // One batch, with the whole share and weights of 1 whatever lambda is.
  Weights weights_{.c = {}, .factor = {}, .log_divergence = {0.0}, .log_alpha = {0.0}, .log_lambda = {0.0}};
};

}  // namespace

std::unique_ptr<Estimator> on_policy(Index batch, Credit credit) {
  require(batch >= 1, "the batch must hold at least one trajectory");
  return std::make_unique<OnPolicy>(batch, credit);
}

}  // namespace retropg
