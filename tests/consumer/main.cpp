// Registers an environment and an estimator of its own and trains both through retropg::train. Only standard and
// retropg headers: nothing the library is built with is needed to use it.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "retropg/core/archive.hpp"
#include "retropg/core/version.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/estimator/estimator.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"

namespace {

using retropg::Index;

/// A number that the action moves and that should be zero.
class Slider final : public retropg::Environment {
 public:
  explicit Slider(Index lanes) : place_(static_cast<std::size_t>(lanes)) {}

  void reset(Index lane, retropg::RandomStream& random, std::span<double> observations) override {
    observations[static_cast<std::size_t>(lane)] = at(lane) = random.uniform(-1.0, 1.0);
  }

  void step(const retropg::LaneStep& step) override {
    for (Index lane = 0; lane < step.active; ++lane) {
      const auto l = static_cast<std::size_t>(lane);
      step.ended[l] = 0.0;
      if (step.live[l] > 0.0) step.observations[l] = at(lane) += 0.2 * step.actions[l];
      step.rewards[l] = -at(lane) * at(lane);
    }
  }

  void move(Index from, Index to) override { at(to) = at(from); }

 private:
  double& at(Index lane) { return place_[static_cast<std::size_t>(lane)]; }

  std::vector<double> place_;
};

retropg::EnvironmentDefinition slider() {
  return {.id = "Slider-v0",
          .observation_size = 1,
          .action_size = 1,
          .horizon = 50,
          .discount = 1.0,
          .make = [](Index lanes) { return std::make_unique<Slider>(lanes); }};
}

/// GPOMDP with a running average of its gradients: m <- 0.8 m + 0.2 g.
class AveragedGradient final : public retropg::Estimator {
 public:
  explicit AveragedGradient(Index batch) : gradient_(retropg::on_policy(batch, retropg::Credit::kRewardToGo)) {}

  std::vector<retropg::Draw> plan(Index k, retropg::Parameters theta, Index limit,
                                  const retropg::OrderedSum& sum) override {
    return gradient_->plan(k, theta, limit, sum);
  }

  retropg::Estimate estimate(retropg::Parameters theta, std::vector<retropg::Batch> fresh,
                             const retropg::OrderedSum& sum) override {
    before_ = average_;
    retropg::Estimate estimate = gradient_->estimate(theta, std::move(fresh), sum);
    if (average_.empty()) average_ = estimate.gradient;
    for (std::size_t i = 0; i < average_.size(); ++i) average_[i] = 0.8 * average_[i] + 0.2 * estimate.gradient[i];
    estimate.gradient = average_;
    return estimate;
  }

  void discard() override { average_ = before_; }
  Index largest_iteration() const override { return gradient_->largest_iteration(); }
  double iterations_within(double budget) const override { return gradient_->iterations_within(budget); }
  double bytes_needed(double bytes_per_trajectory, double iterations) const override {
    return gradient_->bytes_needed(bytes_per_trajectory, iterations);
  }
  void state(retropg::Archive& archive) override { archive("average", average_); }

 private:
  std::unique_ptr<retropg::Estimator> gradient_;
  std::vector<double> average_, before_;  // before the last estimate
};

/// Mean return of the last ten iterations minus that of the first ten.
double gain(const std::string& environment, const std::string& algorithm, Index threads) {
  constexpr Index kIterations = 100;
  retropg::Configuration configuration;
  configuration.env.id = environment;
  configuration.algo.name = algorithm;
  configuration.algo.batch = 40;
  configuration.optimizer.rate = 0.1;
  configuration.train.iterations = kIterations;
  configuration.train.threads = threads;
  double first = 0.0, last = 0.0, norms = 0.0;
  retropg::train(configuration, [&](const retropg::IterationRecord& record) {
    norms += record.gradient_norm;
    if (record.iteration <= 10) first += record.return_mean / 10.0;
    if (record.iteration > kIterations - 10) last += record.return_mean / 10.0;
    return true;
  });
  std::printf("%s with %s: %.3f -> %.3f (gradient norms add up to %a)\n", environment.c_str(), algorithm.c_str(), first,
              last, norms);
  return last - first;
}

}  // namespace

int main() {
  std::printf("retropg %s\n", retropg::version().c_str());
  retropg::register_environment({{"Slider-v0", {"Slider"}, "a number to be held at zero"},
                                 [](const retropg::Configuration&) { return slider(); }});
  retropg::register_algorithm(
      {{"averaged-gpomdp", {}, "GPOMDP with averaged gradients"},
       [](const retropg::Configuration& configuration, const retropg::EnvironmentDefinition&, const retropg::Policy&) {
         return std::make_unique<AveragedGradient>(configuration.algo.batch);
       }});
  // Over the first ten iterations a trajectory of the slider costs about 9 and trained 1 to 2; Cart Pole starts at
  // about 45 steps.
  bool learned = true;
  learned = gain("Slider", "rpg", 1) > 4.0 && learned;
  learned = gain("Slider", "averaged-gpomdp", 1) > 4.0 && learned;
  learned = gain("CartPole", "averaged-gpomdp", 1) > 50.0 && learned;
  learned = gain("Slider", "averaged-gpomdp", 2) == gain("Slider", "averaged-gpomdp", 1) && learned;
  if (!learned) std::printf("a run did not learn\n");
  return learned ? 0 : 1;
}
