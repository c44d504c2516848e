#include <algorithm>

#include "retropg/baseline/credits.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {
namespace {

class Peters final : public Baseline {
 public:
  Peters(const Policy& policy, const BaselineOptions& options)
      : policy_(policy),
        options_(options),
        width_(policy.provides(Capability::kComponentCredits) ? policy.parameter_count() : 1) {}

  std::vector<double> credits(Parameters theta, const TrajectoryBatch& batch, Credit credit) override {
    std::vector<double> baseline = tail_sums(theta, batch, credit);
    if (batch.size() == 1) std::ranges::fill(baseline, 0.0);
    std::vector<double> result(as_size(batch.steps() * width_));
    for (Index i = 0; i < width_; ++i) {
      const std::vector<double> component = credits_less(
          batch, options_.discount, credit, [&](Index, Index l, double) { return baseline[as_size(l * width_ + i)]; });
      for (std::size_t t = 0; t < component.size(); ++t) result[t * as_size(width_) + as_size(i)] = component[t];
    }
    return result;
  }

  void state(Archive&) override {}

 private:
  /// B_l = sum_{t >= l} b_t, `width_` numbers per time step; with Credit::kReturn, a single b for the whole return.
  std::vector<double> tail_sums(Parameters theta, const TrajectoryBatch& batch, Credit credit) const {
    const bool whole = credit == Credit::kReturn;
    const Index times = whole ? 1 : options_.horizon;
    const std::vector<double> returns = discounted_returns(batch, options_.discount);
    std::vector<double> weighted(as_size(times * width_), 0.0), weights(as_size(times * width_), 0.0), scores, squares;
    for (Index j = 0; j < batch.size(); ++j) {
      require(batch.length(j) <= options_.horizon, "a trajectory is longer than the baseline's horizon");
      policy_.running_scores(theta, batch, j, scores);
      double factor = 1.0;
      for (Index t = 0; t < times; ++t, factor *= options_.discount) {
        const bool live = t < batch.length(j);
        if (live) square(scores, whole ? batch.length(j) - 1 : t, squares);
        const double reward = whole  ? returns[as_size(j)]
                              : live ? factor * batch.rewards[as_size(batch.begin(j) + t)]
                                     : 0.0;
        for (Index i = 0; i < width_; ++i) {
          weighted[as_size(t * width_ + i)] += squares[as_size(i)] * reward;
          weights[as_size(t * width_ + i)] += squares[as_size(i)];
        }
      }
    }
    for (std::size_t k = 0; k < weighted.size(); ++k) weighted[k] = weights[k] > 0.0 ? weighted[k] / weights[k] : 0.0;
    for (Index k = (times - 1) * width_ - 1; k >= 0; --k) weighted[as_size(k)] += weighted[as_size(k + width_)];
    return weighted;
  }

  /// The squared components of the running score after step t, or their sum.
  void square(const std::vector<double>& scores, Index t, std::vector<double>& squares) const {
    const Index count = policy_.parameter_count();
    const double* score = scores.data() + t * count;
    squares.assign(as_size(width_), 0.0);
    for (Index k = 0; k < count; ++k) squares[as_size(std::min(k, width_ - 1))] += score[k] * score[k];
  }

  const Policy& policy_;
  BaselineOptions options_;
  Index width_;
};

}  // namespace

std::unique_ptr<Baseline> peters_baseline(const Policy& policy, const BaselineOptions& options) {
  return std::make_unique<Peters>(policy, options);
}

}  // namespace retropg
