#include "retropg/baseline/baseline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "retropg/policy/mlp_gaussian.hpp"
#include "support/baseline_credits.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

/// One observation, one action, sigma^2 = 1: the score at theta = 0 is the action times the observation.
std::unique_ptr<Policy> product_policy() {
  return linear_gaussian({.observation_size = 1, .action_size = 1, .evidence = EvidenceKind::kSteps});
}

TEST(PetersBaseline, FreezesTheScoreOfAnEndedTrajectory) {
  // Scores 1 | 2, -1, so running scores 1, 1, 1 | 2, 1, 1 with rewards 2, 0, 0 | 1, 3, 0.
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  batch.add(std::vector{1.0}, std::vector{1.0}, 2.0);
  batch.close();
  batch.add(std::vector{1.0}, std::vector{2.0}, 1.0);
  batch.add(std::vector{1.0}, std::vector{-1.0}, 3.0);
  batch.close();
  const auto policy = product_policy();
  const auto baseline = peters_baseline(*policy, {.horizon = 3});
  const double b0 = (1.0 * 2.0 + 4.0 * 1.0) / 5.0, b1 = (1.0 * 0.0 + 1.0 * 3.0) / 2.0;
  expect_near(baseline->credits(std::vector{0.0}, batch, Credit::kRewardToGo),
              {2.0 - b0 - b1, 4.0 - b0 - b1, 3.0 - b1});
  expect_near(baseline->credits(std::vector{0.0}, batch, Credit::kReturn), {2.0 - 3.0, 4.0 - 3.0, 4.0 - 3.0});
}

TEST(PetersBaseline, IsNothingWhereNoScoreIs) {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  for (const double reward : {2.0, 5.0}) {
    batch.add(std::vector{0.0}, std::vector{1.0}, reward);
    batch.close();
  }
  const auto policy = product_policy();
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    EXPECT_EQ(peters_baseline(*policy, {.horizon = 3})->credits(std::vector{0.0}, batch, credit),
              (std::vector{2.0, 5.0}));
  }
}

/// b_t from its definition, at every t < T: for component i, or for the norm if i is negative.
std::vector<double> peters_by_definition(const Policy& policy, Parameters theta, const TrajectoryBatch& batch,
                                         const BaselineOptions& options, Index i) {
  const Index count = policy.parameter_count();
  std::vector<double> result;
  for (Index t = 0; t < options.horizon; ++t) {
    double weighted = 0.0, weights = 0.0;
    for (Index j = 0; j < batch.size(); ++j) {
      std::vector<double> scores;
      policy.running_scores(theta, batch, j, scores);
      const Index row = std::min(t, batch.length(j) - 1);
      double square = 0.0;
      for (Index k = 0; k < count; ++k) {
        if (i < 0 || k == i) square += std::pow(scores[as_size(row * count + k)], 2);
      }
      const double reward = t < batch.length(j) ? std::pow(options.discount, static_cast<double>(t)) *
                                                      batch.rewards[as_size(batch.begin(j) + t)]
                                                : 0.0;
      weighted += square * reward;
      weights += square;
    }
    result.push_back(weighted / weights);
  }
  return result;
}

void expect_peters(const Policy& policy, Parameters theta, const TrajectoryBatch& batch, Index width) {
  const BaselineOptions options{.horizon = 9, .discount = 0.9};
  const std::vector<double> got = peters_baseline(policy, options)->credits(theta, batch, Credit::kRewardToGo);
  const std::vector<double> to_go = step_credits(batch, options.discount, Credit::kRewardToGo);
  ASSERT_EQ(got.size(), to_go.size() * as_size(width));
  for (Index i = 0; i < width; ++i) {
    const std::vector<double> b =
        peters_by_definition(policy, theta, batch, options, policy.provides(Capability::kComponentCredits) ? i : -1);
    for (Index j = 0; j < batch.size(); ++j) {
      for (Index l = 0; l < batch.length(j); ++l) {
        double expected = to_go[as_size(batch.begin(j) + l)];
        for (Index t = l; t < options.horizon; ++t) expected -= b[as_size(t)];
        EXPECT_NEAR(got[as_size((batch.begin(j) + l) * width + i)], expected, 1e-12);
      }
    }
  }
}

TEST(PetersBaseline, IsItsDefinitionForEveryParameterOfALinearPolicy) {
  const LinearGaussianOptions options{
      .observation_size = 3, .action_size = 2, .variance = {0.4, 2.0}, .bias = true, .evidence = EvidenceKind::kSteps};
  const std::vector<double> theta = random_numbers(8, 0.3, 5);
  expect_peters(*linear_gaussian(options), theta, random_batch(options, theta, 6, 7, 8), 8);
}

TEST(PetersBaseline, IsItsDefinitionWithTheNormForANetwork) {
  const LinearGaussianOptions like{.observation_size = 3, .action_size = 2};
  const auto network = mlp_gaussian({.observation_size = 3, .action_size = 2, .hidden = {4}});
  const std::vector<double> theta = network->initial_parameters(3);
  expect_peters(*network, theta, random_batch(like, random_numbers(6, 0.3, 5), 6, 7, 8), 1);
}

TEST(PetersBaseline, MinimizesTheSecondMomentOfEveryTerm) {
  const LinearGaussianOptions options{.observation_size = 2, .action_size = 1, .evidence = EvidenceKind::kSteps};
  const auto policy = linear_gaussian(options);
  const std::vector<double> theta = {0.2, -0.1};
  TrajectoryBatch batch = random_batch(options, theta, 500, 6, 12);
  for (double& reward : batch.rewards) reward += 3.0;
  const BaselineOptions with{.horizon = 7, .discount = 0.95};
  const std::vector<double> returns = discounted_returns(batch, with.discount);
  const std::vector<double> whole = peters_baseline(*policy, with)->credits(theta, batch, Credit::kReturn);
  const std::vector<double> to_go = peters_baseline(*policy, with)->credits(theta, batch, Credit::kRewardToGo);
  const std::vector<double> plain = step_credits(batch, with.discount, Credit::kRewardToGo);
  // A trajectory of six steps tells B_0, ..., B_5; B_6 = b_6 = 0, since none is longer.
  Index longest = 0;
  while (batch.length(longest) < 6) ++longest;
  for (Index i = 0; i < 2; ++i) {
    std::vector<double> b(7, 0.0);
    for (Index l = 5; l >= 0; --l) {
      const auto step = as_size(batch.begin(longest) + l);
      b[as_size(l)] = plain[step] - to_go[step * 2 + as_size(i)];
    }
    for (std::size_t l = 0; l < 6; ++l) b[l] -= b[l + 1];
    std::vector<double> scores;
    // Sums over the batch of (c (R - b))^2 and, for every t < 6, of (c_t (gamma^t r_t - b_t))^2, with b moved by `by`.
    const auto second_moments = [&](double by) {
      std::vector<double> sums(7, 0.0);
      for (Index j = 0; j < batch.size(); ++j) {
        policy->running_scores(theta, batch, j, scores);
        const double b_whole = returns[as_size(j)] - whole[as_size(batch.begin(j) * 2 + i)];
        const double last = scores[as_size((batch.length(j) - 1) * 2 + i)];
        sums[6] += std::pow(last * (returns[as_size(j)] - b_whole - by), 2);
        for (Index t = 0; t < 6; ++t) {
          const bool live = t < batch.length(j);
          const double reward =
              live ? std::pow(0.95, static_cast<double>(t)) * batch.rewards[as_size(batch.begin(j) + t)] : 0.0;
          const double score = live ? scores[as_size(t * 2 + i)] : last;
          sums[as_size(t)] += std::pow(score * (reward - b[as_size(t)] - by), 2);
        }
      }
      return sums;
    };
    const std::vector<double> least = second_moments(0.0), up = second_moments(0.05), down = second_moments(-0.05);
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_GT(up[k], least[k]) << k;
      EXPECT_GT(down[k], least[k]) << k;
      EXPECT_NEAR(up[k] - least[k], down[k] - least[k], 1e-6 * least[k]) << "a parabola about its minimum, " << k;
    }
  }
}

}  // namespace
}  // namespace retropg::test
