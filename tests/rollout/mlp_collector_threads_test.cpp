#include "retropg/rollout/collector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "support/bits.hpp"
#include "support/many_threads.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

/// Poles that fall after different times under a small network with everything on.
struct CartPoleNetwork {
  MlpGaussianOptions options{.observation_size = 4,
                             .action_size = 1,
                             .hidden = {8, 5},
                             .bias = true,
                             .variance = {0.3},
                             .shift = {0.0, 0.1, 0.0, -0.1},
                             .scale = {1.0, 0.5, 4.0, 0.5},
                             .action_shift = {0.1},
                             .action_scale = {5.0}};
  std::unique_ptr<Policy> policy = mlp_gaussian(options);
  std::vector<double> theta = policy->initial_parameters(1);
};

TEST(MlpCollector, DigestsTheStepsItSimulates) {
  const CartPoleNetwork network;
  const Workers workers;
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    Collector collector(cart_pole(), *network.policy, {.seed = 3, .lanes = 8, .credit = credit}, workers);
    const TrajectoryBatch batch = collector.collect_steps(network.theta, 1, 0, 21);
    const Collected collected = collector.collect(network.theta, 1, 0, 21);
    const auto digested = network.policy->digest(network.theta, batch, cart_pole().discount, credit);
    EXPECT_EQ(bits(collected.evidence->numbers()), bits(digested->numbers()));
    std::set<Index> lengths(collected.lengths.begin(), collected.lengths.end());
    EXPECT_GT(lengths.size(), 5u) << "trajectories should differ in length for this test";
    std::vector<double> mean(1);
    for (Index t = 0; t < batch.steps(); ++t) {  // actions are normal about the mean: six deviations, never more
      network.policy->mean(network.theta, reference::observation(batch, t), mean);
      EXPECT_LT(std::abs(reference::action(batch, t)[0] - mean[0]), 6.0 * std::sqrt(0.3));
    }
  }
}

TEST(MlpThreads, AndLanesGiveTheSameBitsOfABatch) {
  const ManyThreads many;
  const CartPoleNetwork network;
  const std::vector<double> elsewhere =
      sum_of(network.theta, random_numbers(network.policy->parameter_count(), 0.1, 1));
  const std::vector<double> weights = random_numbers(23, 1.0, 2);
  const auto collect = [&](Index threads, Index lanes) {
    const Workers workers(threads);
    Collector collector(cart_pole(), *network.policy, {.seed = 5, .lanes = lanes}, workers);
    return collector.collect(network.theta, 1, 0, 23);
  };
  const Collected expected = collect(1, 4);
  for (const Index threads : {1, 2, 3, 8}) {
    for (const Index lanes : {4, 8, 12, 32, 64}) {
      const Collected got = collect(threads, lanes);
      EXPECT_EQ(bits(got.returns), bits(expected.returns)) << threads << " threads, " << lanes << " lanes";
      EXPECT_EQ(got.lengths, expected.lengths) << threads << " threads, " << lanes << " lanes";
      EXPECT_EQ(bits(got.evidence->numbers()), bits(expected.evidence->numbers()))
          << threads << " threads, " << lanes << " lanes";
    }
  }
}

TEST(MlpThreads, GiveTheSameBitsOfAGradient) {
  const ManyThreads many;
  const MlpGaussianOptions options{.observation_size = 17, .action_size = 6};
  const auto policy = mlp_gaussian(options);
  const std::vector<double> behavior = policy->initial_parameters(1), theta = policy->initial_parameters(2);
  const auto evidence =
      policy->digest(behavior, random_batch(options, behavior, ragged(61, 90, 3), 3), 1.0, Credit::kRewardToGo);
  const Index chunks = chunk_count(61), count = policy->parameter_count();
  std::vector<double> weights = random_numbers(61, 1.0, 4);
  weights.resize(as_size(chunks * kChunk), 0.0);
  std::vector<std::uint64_t> expected;
  for (const Index threads : {1, 2, 3, 8}) {
    const Workers workers(threads);
    const OrderedSum sum(workers);
    std::vector<double> gradient(as_size(count));
    sum.total(
        chunks, count,
        [&](Index first, Index last, double* rows) {
          evidence->weighted_gradient(theta, weights.data() + first * kChunk, first, last, rows, nullptr);
        },
        gradient, evidence->grain());
    if (expected.empty()) expected = bits(gradient);
    EXPECT_EQ(bits(gradient), expected) << threads << " threads";
    EXPECT_TRUE(all_finite(gradient));
  }
}

}  // namespace
}  // namespace retropg::test
