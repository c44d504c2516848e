#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/estimator/estimator.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/reuse/window.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {

/// An environment with a linear Gaussian policy, ready to hand batches to estimators.
class Laboratory {
 public:
  Laboratory(EnvironmentDefinition environment, LinearGaussianOptions options, std::uint64_t seed, Index threads = 1)
      : environment_(std::move(environment)),
        options_(with_sizes(std::move(options), environment_)),
        policy_(linear_gaussian(options_)),
        workers_(threads),
        sum_(workers_),
        reward_to_go_(environment_, *policy_, {.seed = seed, .credit = Credit::kRewardToGo}, workers_),
        whole_return_(environment_, *policy_, {.seed = seed, .credit = Credit::kReturn}, workers_),
        bare_score_(environment_, *policy_, {.seed = seed, .credit = Credit::kOne}, workers_) {}

  const EnvironmentDefinition& environment() const { return environment_; }
  const LinearGaussianOptions& options() const { return options_; }
  const Policy& policy() const { return *policy_; }
  const OrderedSum& sum() const { return sum_; }

  /// Trajectories first, ..., first + count - 1 of iteration k at theta.
  Batch collect(const std::vector<double>& theta, Index k, Index count, Credit credit = Credit::kRewardToGo,
                Index first = 0, double spread = 1.0) {
    Collector& collector = credit == Credit::kReturn ? whole_return_
                           : credit == Credit::kOne  ? bare_score_
                                                     : reward_to_go_;
    Collected collected = collector.collect(theta, k, first, count, spread);
    return {.behavior = theta,
            .evidence = std::move(collected.evidence),
            .returns = std::move(collected.returns),
            .lengths = std::move(collected.lengths),
            .spread = spread};
  }

  TrajectoryBatch collect_steps(const std::vector<double>& theta, Index k, Index count) {
    return reward_to_go_.collect_steps(theta, k, 0, count);
  }

  void push(Window& window, const std::vector<double>& theta, Index k, Index count) {
    window.push(theta, collect(theta, k, count).evidence);
  }

  /// One iteration of an estimator: what `plan` and `collect` give it, at most `limit` trajectories.
  Estimate iterate(Estimator& estimator, const std::vector<double>& theta, Index k, Index limit = 1'000'000) {
    std::vector<Batch> fresh;
    Index first = 0;
    for (const Draw& draw : estimator.plan(k, theta, limit, sum_)) {
      fresh.push_back(collect(draw.behavior, k, draw.count, estimator.credit(), first, draw.spread));
      first += draw.count;
    }
    Estimate estimate = estimator.estimate(theta, std::move(fresh), sum_);
    estimator.keep();
    return estimate;
  }

  /// The GPOMDP gradient of the first `count` trajectories of iteration k.
  std::vector<double> gpomdp(const std::vector<double>& theta, Index k, Index count) {
    return iterate(*on_policy(count, Credit::kRewardToGo), theta, k).gradient;
  }

 private:
  static LinearGaussianOptions with_sizes(LinearGaussianOptions options, const EnvironmentDefinition& environment) {
    options.observation_size = environment.observation_size;
    options.action_size = environment.action_size;
    return options;
  }

  EnvironmentDefinition environment_;
  LinearGaussianOptions options_;
  std::unique_ptr<Policy> policy_;
  Workers workers_;
  OrderedSum sum_;
  Collector reward_to_go_, whole_return_, bare_score_;
};

}  // namespace retropg::test
