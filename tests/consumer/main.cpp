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

/// A point on a line: the action pushes it, being away from zero costs. Observed are position and speed.
class PointMass final : public retropg::Environment {
 public:
  explicit PointMass(Index lanes) : lanes_(static_cast<std::size_t>(lanes)), position_(lanes_), speed_(lanes_) {}

  void reset(Index lane, retropg::RandomStream& random, std::span<double> observations) override {
    const auto l = static_cast<std::size_t>(lane);
    position_[l] = random.uniform(-1.0, 1.0);
    speed_[l] = 0.0;
    observe(l, observations);
  }

  void step(const retropg::LaneStep& step) override {
    for (std::size_t l = 0; l < static_cast<std::size_t>(step.active); ++l) {
      if (step.live[l] == 0.0) continue;
      speed_[l] += 0.1 * step.actions[l];
      position_[l] += 0.1 * speed_[l];
      step.rewards[l] = -position_[l] * position_[l];
      step.terminated[l] = position_[l] > 3.0 || position_[l] < -3.0 ? 1.0 : 0.0;
      observe(l, step.observations);
    }
  }

  void move(Index from, Index to) override {
    position_[static_cast<std::size_t>(to)] = position_[static_cast<std::size_t>(from)];
    speed_[static_cast<std::size_t>(to)] = speed_[static_cast<std::size_t>(from)];
  }

 private:
  void observe(std::size_t lane, std::span<double> observations) const {
    observations[lane] = position_[lane];
    observations[lanes_ + lane] = speed_[lane];
  }

  std::size_t lanes_;
  std::vector<double> position_, speed_;
};

retropg::EnvironmentDefinition point_mass() {
  return {.id = "PointMass-v0",
          .observation_size = 2,
          .action_size = 1,
          .horizon = 50,
          .discount = 1.0,
          .make = [](Index lanes) { return std::make_unique<PointMass>(lanes); }};
}

/// GPOMDP with a running average of its gradients: m <- 0.8 m + 0.2 g.
class AveragedGradient final : public retropg::Estimator {
 public:
  explicit AveragedGradient(Index batch) : gradient_(retropg::on_policy(batch, retropg::Credit::kRewardToGo)) {}

  std::vector<retropg::Draw> plan(Index k, retropg::Parameters theta, Index limit) override {
    return gradient_->plan(k, theta, limit);
  }

  retropg::Estimate estimate(retropg::Parameters theta, std::vector<retropg::Batch> fresh,
                             const retropg::OrderedSum& sum) override {
    retropg::Estimate estimate = gradient_->estimate(theta, std::move(fresh), sum);
    if (average_.empty()) average_ = estimate.gradient;
    for (std::size_t i = 0; i < average_.size(); ++i) average_[i] = 0.8 * average_[i] + 0.2 * estimate.gradient[i];
    estimate.gradient = average_;
    return estimate;
  }

  double bytes_needed(double bytes_per_trajectory, double iterations) const override {
    return gradient_->bytes_needed(bytes_per_trajectory, iterations);
  }
  void state(retropg::Archive& archive) override { archive("average", average_); }

 private:
  std::unique_ptr<retropg::Estimator> gradient_;
  std::vector<double> average_;
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
  retropg::register_environment({{"PointMass-v0", {"PointMass"}, "a point on a line"},
                                 [](const retropg::Configuration&) { return point_mass(); }});
  retropg::register_algorithm(
      {{"averaged-gpomdp", {}, "GPOMDP with averaged gradients"},
       [](const retropg::Configuration& configuration, const retropg::EnvironmentDefinition&, const retropg::Policy&) {
         return std::make_unique<AveragedGradient>(configuration.algo.batch);
       }});
  // Untrained, a trajectory of the point mass costs about 12 and trained 2 to 3; Cart Pole starts at about 45 steps.
  bool learned = true;
  learned = gain("PointMass", "rpg", 1) > 5.0 && learned;
  learned = gain("PointMass", "averaged-gpomdp", 1) > 5.0 && learned;
  learned = gain("CartPole", "averaged-gpomdp", 1) > 50.0 && learned;
  learned = gain("PointMass", "averaged-gpomdp", 2) == gain("PointMass", "averaged-gpomdp", 1) && learned;
  if (!learned) std::printf("a run did not learn\n");
  return learned ? 0 : 1;
}
