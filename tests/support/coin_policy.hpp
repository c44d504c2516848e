#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg::test {

/// A policy that is not Gaussian and takes uniform numbers: the action is 1 with probability 1 / (1 + e^{-theta' s}),
/// else 0. Written from the contracts alone, and so that each line can be seen to be right.
struct Coin {
  static double logit(Parameters theta, const double* observation) {
    double sum = 0.0;
    for (const double parameter : theta) sum += parameter * *observation++;
    return sum;
  }
  static double probability(double logit, double action) {
    return 1.0 / (1.0 + std::exp(action == 1.0 ? -logit : logit));
  }
};

/// The steps themselves: first steps, then observation, action and credit of each.
class CoinEvidence final : public Evidence, public DivergenceEvidence {
 public:
  CoinEvidence(Parameters behavior, Index trajectories, std::vector<double> numbers,
               std::function<void()> before_divergence)
      : behavior_(behavior.begin(), behavior.end()),
        trajectories_(trajectories),
        numbers_(std::move(numbers)),
        before_divergence_(std::move(before_divergence)) {}

  Index size() const override { return trajectories_; }

  void compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
               EvidencePass* /*pass*/) const override {
    for (Index j = first * kChunk; j < last * kChunk; ++j, ++log_ratio, ++renyi) {
      *log_ratio = *renyi = 0.0;
      for (Index t = begin(j); t < begin(j + 1); ++t) {
        const double target = Coin::logit(theta, step(t)), other = Coin::logit(behavior_, step(t));
        if (target == other) continue;
        *log_ratio += std::log(Coin::probability(target, action(t))) - std::log(Coin::probability(other, action(t)));
        double sum = 0.0;
        for (const double a : {0.0, 1.0}) {
          sum += std::pow(Coin::probability(target, a), order) * std::pow(Coin::probability(other, a), 1.0 - order);
        }
        *renyi += std::log(sum);
      }
    }
  }

  void weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                         EvidencePass* /*pass*/) const override {
    std::fill_n(rows, (last - first) * d(), 0.0);
    for (Index j = first * kChunk; j < last * kChunk; ++j, ++weights) {
      double* row = rows + (j / kChunk - first) * d();
      for (Index t = begin(j); t < begin(j + 1); ++t) {
        const double surprise = action(t) - Coin::probability(Coin::logit(theta, step(t)), 1.0);
        for (Index i = 0; i < d(); ++i) row[i] += *weights * step(t)[d() + 1] * surprise * step(t)[i];
      }
    }
  }

  void divergences(Parameters theta, Parameters other, Index first, Index last, double* divergences) const override {
    if (before_divergence_) before_divergence_();
    for (Index j = first * kChunk; j < last * kChunk; ++j, ++divergences) {
      *divergences = 0.0;
      for (Index t = begin(j); t < begin(j + 1); ++t) {
        for (const double a : {0.0, 1.0}) {
          const double p = Coin::probability(Coin::logit(theta, step(t)), a);
          *divergences += p * std::log(p / Coin::probability(Coin::logit(other, step(t)), a));
        }
      }
    }
  }

  std::span<const double> numbers() const override { return numbers_; }

  bool belongs_to(Parameters behavior) const { return std::ranges::equal(behavior, behavior_); }

 private:
  Index d() const { return as_index(behavior_.size()); }
  Index begin(Index j) const { return static_cast<Index>(numbers_[as_size(std::min(j, trajectories_))]); }
  const double* step(Index t) const { return numbers_.data() + trajectories_ + 1 + t * (d() + 2); }
  double action(Index t) const { return step(t)[d()]; }

  std::vector<double> behavior_;
  Index trajectories_;
  std::vector<double> numbers_;
  std::function<void()> before_divergence_;
};

class CoinActor final : public Actor {
 public:
  CoinActor(Index lanes, Acting acting) : lanes_(lanes), acting_(acting) {}

  Noise noise() const override { return {.kind = Noise::Kind::kUniform, .count = acting_ == Acting::kSample ? 1 : 0}; }

  void act(Parameters theta, Index active, const double* observations, const double* const* noise, double* actions,
           double* notes) override {
    std::vector<double> observation(theta.size());
    for (Index lane = 0; lane < active; ++lane) {
      for (std::size_t i = 0; i < theta.size(); ++i) observation[i] = observations[as_index(i) * lanes_ + lane];
      const double p = Coin::probability(Coin::logit(theta, observation.data()), 1.0);
      actions[lane] = (acting_ == Acting::kSample ? noise[0][lane] : 0.5) < p ? 1.0 : 0.0;
      notes[lane] = 0.0;
    }
  }

 private:
  Index lanes_;
  Acting acting_;
};

class CoinPolicy final : public Policy {
 public:
  /// `before_divergence` is called by the evidence before it computes divergences.
  explicit CoinPolicy(Index observation_size, std::function<void()> before_divergence = {})
      : d_(observation_size), before_divergence_(std::move(before_divergence)) {}

  Index observation_size() const override { return d_; }
  Index action_size() const override { return 1; }
  Index parameter_count() const override { return d_; }
  std::vector<double> initial_parameters(std::uint64_t) const override { return std::vector<double>(as_size(d_), 0.0); }
  bool provides(Capability capability) const override { return capability == Capability::kDivergence; }
  bool has_renyi(double) const override { return true; }
  std::unique_ptr<Actor> actor(Index lanes, Acting acting) const override {
    return std::make_unique<CoinActor>(lanes, acting);
  }

  using Policy::digest;
  std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch,
                                   std::span<const double> credits) const override {
    std::vector<double> numbers(batch.first_step.begin(), batch.first_step.end());
    for (Index t = 0; t < batch.steps(); ++t) {
      const auto* observation = batch.observations.data() + t * d_;
      numbers.insert(numbers.end(), observation, observation + d_);
      numbers.push_back(batch.actions[as_size(t)]);
      numbers.push_back(credits[as_size(t)]);
    }
    return restore(theta, batch.size(), numbers);
  }
  bool made(const Evidence& evidence, Parameters behavior) const override {
    const auto* own = dynamic_cast<const CoinEvidence*>(&evidence);
    return own != nullptr && own->belongs_to(behavior);
  }
  std::unique_ptr<Evidence> restore(Parameters theta, Index trajectories,
                                    std::span<const double> numbers) const override {
    return std::make_unique<CoinEvidence>(theta, trajectories, std::vector<double>(numbers.begin(), numbers.end()),
                                          before_divergence_);
  }
  Index bytes_per_trajectory(Index horizon) const override {
    return (2 + horizon * (d_ + 2)) * as_index(sizeof(double));
  }

  void running_scores(Parameters theta, const TrajectoryBatch& batch, Index trajectory,
                      std::vector<double>& scores) const override {
    std::vector<double> running(as_size(d_), 0.0);
    scores.clear();
    for (Index t = batch.begin(trajectory); t < batch.begin(trajectory + 1); ++t) {
      const double* observation = batch.observations.data() + t * d_;
      const double surprise = batch.actions[as_size(t)] - Coin::probability(Coin::logit(theta, observation), 1.0);
      for (std::size_t i = 0; i < running.size(); ++i) running[i] += surprise * observation[i];
      scores.insert(scores.end(), running.begin(), running.end());
    }
  }
  void mean(Parameters theta, std::span<const double> observation, std::span<double> action) const override {
    action[0] = 0.5 < Coin::probability(Coin::logit(theta, observation.data()), 1.0) ? 1.0 : 0.0;
  }

 private:
  Index d_;
  std::function<void()> before_divergence_;
};

}  // namespace retropg::test
