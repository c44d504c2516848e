#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "retropg/estimator/nes.hpp"
#include "retropg/policy/hyperpolicy.hpp"
#include "support/hyper_batch.hpp"

namespace retropg::test {

inline constexpr Index kParameters = 3;

/// Higher is better near (1, 2, 3).
inline double reward(Parameters theta) {
  double sum = 0.0;
  for (std::size_t i = 0; i < theta.size(); ++i)
    sum -= (theta[i] - static_cast<double>(i + 1)) * (theta[i] - static_cast<double>(i + 1));
  return sum;
}

/// Runs nes on one-step trajectories with that reward.
class Strategy {
 public:
  explicit Strategy(const NesOptions& options, std::vector<double> variance = {0.5}, bool learned = true,
                    std::unique_ptr<WeightRule> rule = balance_heuristic())
      : policy_(hyperpolicy(linear_inner(kParameters), {.variance = std::move(variance), .learn_deviation = learned})),
        estimator_(nes(*policy_, kParameters, options, std::move(rule))),
        xi_(policy_->initial_parameters(1)) {}

  const std::vector<double>& xi() const { return xi_; }
  const Policy& policy() const { return *policy_; }

  /// One iteration with the draws of a seed; returns them.
  TrajectoryBatch iterate(std::uint64_t seed, Index count) {
    TrajectoryBatch steps = drawn_batch(*policy_, xi_, count, seed, reward);
    std::vector<Batch> fresh;
    fresh.push_back(batch(xi_, steps));
    move(std::move(fresh));
    return steps;
  }

  std::vector<double> recommended() const { return estimator_->recommended(xi_).parameters; }
  std::vector<Draw> plan(Index limit = 1000) { return estimator_->plan(1, xi_, limit, sum_); }

  /// One iteration as planned: draws with these parameters and, if it was asked for, an evaluation with this return.
  void answer(const std::vector<std::vector<double>>& draws, std::optional<double> evaluation, bool keep = true) {
    const std::vector<Draw> asked = plan();
    TrajectoryBatch steps = drawn_batch(*policy_, xi_, as_index(draws.size()), 1, reward);
    steps.sampled.clear();
    for (std::size_t j = 0; j < draws.size(); ++j) {
      steps.sampled.insert(steps.sampled.end(), draws[j].begin(), draws[j].end());
      steps.rewards[j] = reward(draws[j]);
    }
    std::vector<Batch> fresh;
    fresh.push_back(batch(xi_, steps));
    for (std::size_t k = 1; k < asked.size(); ++k) {
      if (!evaluation) {
        fresh.push_back({.behavior = asked[k].behavior, .spread = asked[k].spread});
        continue;
      }
      TrajectoryBatch evaluated = drawn_batch(
          *policy_, asked[k].behavior, 1, 1, [&](Parameters) { return *evaluation; }, asked[k].spread);
      fresh.push_back(batch(asked[k].behavior, evaluated));
    }
    move(std::move(fresh), keep);
  }

  /// One iteration as planned, with the draws of a seed and every evaluation's own reward.
  void advance(std::uint64_t seed, bool keep = true) {
    std::vector<Batch> fresh;
    for (const Draw& draw : plan()) {
      fresh.push_back(
          batch(draw.behavior, drawn_batch(*policy_, draw.behavior, draw.count, seed, reward, draw.spread)));
    }
    move(std::move(fresh), keep);
  }

  void set_xi(std::vector<double> xi) { xi_ = std::move(xi); }

  void restore(SavedState state) {
    Archive archive(std::move(state));
    estimator_->state(archive);
  }

  SavedState saved() {
    Archive archive(Archive::Mode::kSave);
    estimator_->state(archive);
    return archive.state();
  }

 private:
  Batch batch(const std::vector<double>& behavior, const TrajectoryBatch& steps) const {
    const std::vector<double> returns = discounted_returns(steps, 1.0);
    return {.behavior = behavior,
            .evidence = policy_->digest(behavior, steps, 1.0, estimator_->credit()),
            .returns = returns,
            .lengths = std::vector<Index>(returns.size(), 1),
            .values = returns};
  }

  void move(std::vector<Batch> fresh, bool keep = true) {
    Estimate estimate = estimator_->estimate(xi_, std::move(fresh), sum_);
    if (!keep) return estimator_->discard();
    estimator_->keep();
    xi_ = estimate.parameters;
  }

  std::unique_ptr<Policy> policy_;
  std::unique_ptr<Estimator> estimator_;
  Workers workers_{1};
  OrderedSum sum_{workers_};
  std::vector<double> xi_;
};

inline std::vector<double> mean_of(const Strategy& strategy) {
  return {strategy.xi().begin(), strategy.xi().begin() + kParameters};
}

}  // namespace retropg::test
