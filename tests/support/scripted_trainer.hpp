#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg::test {

/// An estimator whose gradient is whatever a function of the number of the call (1, 2, ...) says. It remembers how it
/// was asked.
class ScriptedEstimator final : public Estimator {
 public:
  struct Asked {
    Index k;
    std::vector<double> theta;
    Index limit;
  };

  ScriptedEstimator(Index batch, std::function<double(Index call)> gradient, std::vector<Asked>* asked = nullptr)
      : batch_(batch), gradient_(std::move(gradient)), asked_(asked) {}

  std::vector<Draw> plan(Index k, Parameters theta, Index limit, const OrderedSum&) override {
    if (asked_ != nullptr) asked_->push_back({k, {theta.begin(), theta.end()}, limit});
    return {{.behavior = {theta.begin(), theta.end()}, .count = std::min(batch_, limit)}};
  }
  Estimate estimate(Parameters theta, std::vector<Batch>, const OrderedSum&) override {
    ++calls_;
    return {.gradient = std::vector<double>(theta.size(), gradient_(calls_)), .diagnostics = {}};
  }
  Index largest_iteration() const override { return batch_; }
  double iterations_within(double budget) const override { return std::ceil(budget / static_cast<double>(batch_)); }
  double bytes_needed(double, double) const override { return 0.0; }
  void state(Archive& archive) override { archive("calls", calls_); }

 private:
  Index batch_;
  std::function<double(Index)> gradient_;
  std::vector<Asked>* asked_;
  Index calls_ = 0;
};

/// One observation, one action, one parameter that starts at 0.
inline std::shared_ptr<const Policy> scalar_policy() {
  return linear_gaussian({.observation_size = 1, .action_size = 1});
}

/// One trajectory of one step for each reward. The action is the same at every parameter, which a trainer would refuse
/// from others than a collector.
inline TrajectoryBatch one_step_batch(const std::vector<double>& rewards) {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1, .collected = true};
  for (const double reward : rewards) {
    batch.add(std::vector{1.0}, std::vector{0.5}, reward);
    batch.close();
  }
  return batch;
}

/// A trainer whose iterates are 0, 1, 2, ...: the gradient is always 1 and so is the step.
inline Trainer counting_trainer(const TrainerOptions& options) {
  return Trainer(scalar_policy(), std::make_unique<ScriptedEstimator>(4, [](Index) { return 1.0; }), constant_step(1.0),
                 options);
}

}  // namespace retropg::test
