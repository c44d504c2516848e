#include "retropg/reuse/weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/core/numerics.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"
#include "support/scripted_evidence.hpp"
#include "support/weighing.hpp"

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kAnyTheta = {0.0};

using test::weigh;

Weights weigh(std::unique_ptr<WeightRule> rule, const Window& window, Parameters theta = kAnyTheta) {
  return weigh(*rule, window, theta);
}

/// Calls body(i, j, c) for every trajectory and checks that padding weighs nothing.
template <typename Body>
void for_weights(const Window& window, const Weights& weights, const Body& body) {
  ASSERT_EQ(as_index(weights.c.size()), window.chunk_offsets().back() * kChunk);
  for (std::size_t i = 0; i < as_size(window.size()); ++i) {
    const Index first = window.chunk_offsets()[i] * kChunk, last = window.chunk_offsets()[i + 1] * kChunk;
    for (Index j = 0; j < last - first; ++j) {
      const double c = weights.c[as_size(first + j)];
      if (j < window.entries()[i].evidence->size()) {
        body(i, as_size(j), c);
      } else {
        EXPECT_EQ(c, 0.0) << "padding " << j << " of batch " << i;
      }
    }
  }
}

CoefficientOptions explicit_lambda(std::vector<double> lambda, std::vector<double> alpha = {}) {
  return {.rule = CoefficientRule::kExplicit, .lambda = std::move(lambda), .alpha = std::move(alpha)};
}

const std::vector<std::vector<double>> kLogRatios = {
    {0.3, -1.2, 2.5, 0.0, 4.0, -6.0}, {-0.7, 0.1, 0.9}, {0.0, 0.0, 0.0, 0.0, 0.0}};

Window mixed_window() {
  Window window(kFullReuse);
  for (const auto& log_ratio : kLogRatios) window.push({}, scripted(log_ratio));
  return window;
}

TEST(MultipleImportanceWeights, AreTheRatiosOverTheNumberOfTrajectories) {
  const Window window = mixed_window();
  const Weights weights = weigh(multiple_importance_weights(), window);
  for_weights(window, weights, [](std::size_t i, std::size_t j, double c) {
    const double expected = std::exp(kLogRatios[i][j]) / 14.0;
    EXPECT_NEAR(c, expected, 1e-14 * expected);
  });
  EXPECT_EQ(weights.saturated, 0);
  const std::vector<double> shares = {6.0 / 14.0, 3.0 / 14.0, 5.0 / 14.0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(std::exp(weights.log_alpha[i]), shares[i], 1e-14);
    EXPECT_EQ(weights.log_lambda[i], -kInfinity);  // lambda = 0
  }
}

TEST(MultipleImportanceWeights, SaturateAtTheCapAndAreCounted) {
  Window window(kFullReuse);
  window.push({}, scripted({301.0, 300.0, 5000.0, -5000.0, 299.0}));
  window.push({}, scripted({kInfinity, 0.0}));
  const Weights weights = weigh(multiple_importance_weights(), window);
  EXPECT_EQ(weights.saturated, 3);
  EXPECT_TRUE(all_finite(weights.c));
  const double cap = std::exp(kLogWeightCap) / 7.0;
  for (const std::size_t at_cap : {0U, 1U, 2U, 8U}) EXPECT_NEAR(weights.c[at_cap], cap, 1e-12 * cap);
  EXPECT_EQ(weights.c[3], 0.0);
  EXPECT_LT(weights.c[4], 0.4 * cap);
}

TEST(SingleImportanceWeights, AreMultipleOnesOnOneBatchAndRefuseTwo) {
  Window window(2);
  window.push({}, scripted(kLogRatios[0]));
  const Weights single = weigh(single_importance_weights(), window);
  EXPECT_EQ(bits(single.c), bits(weigh(multiple_importance_weights(), window).c));
  EXPECT_NEAR(single.c[0], std::exp(0.3) / 6.0, 1e-15);
  window.push({}, scripted(kLogRatios[1]));
  expect_throw([&] { weigh(single_importance_weights(), window); },
               "single importance weighting needs a window of exactly one batch");
}

TEST(PowerMeanWeights, AreThoseOfTheFormula) {
  const Window window = mixed_window();
  const std::vector<double> lambda = {0.05, 0.4, 0.9}, alpha = {0.2, 0.3, 0.5};  // oldest first
  const Weights weights = weigh(multiple_power_mean(explicit_lambda({0.9, 0.4, 0.05}, {0.5, 0.3, 0.2})), window);
  for_weights(window, weights, [&](std::size_t i, std::size_t j, double c) {
    const double n = static_cast<double>(kLogRatios[i].size());
    const double w = 1.0 / ((1.0 - lambda[i]) * std::exp(-kLogRatios[i][j]) + lambda[i]);
    EXPECT_NEAR(c, alpha[i] * w / n, 1e-14 * c);
  });
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(std::exp(weights.log_alpha[i]), alpha[i], 1e-14);
    EXPECT_NEAR(std::exp(weights.log_lambda[i]), lambda[i], 1e-14);
  }
}

TEST(PowerMeanWeights, StayBelowTheInverseOfLambdaAtAnyRatio) {
  Window window(kFullReuse);
  window.push({}, scripted({0.0, 1.0, 30.0, 800.0, 1e6, kInfinity, -1.0, -30.0, -800.0, -1e6, -kInfinity}));
  for (const double lambda : {1e-300, 1e-9, 0.01, 0.3, 0.999, 1.0}) {
    const Weights weights = weigh(multiple_power_mean(explicit_lambda({lambda})), window);
    double previous = 0.0;
    for (const std::size_t j : {10U, 9U, 8U, 7U, 6U, 0U, 1U, 2U, 3U, 4U, 5U}) {  // by growing ratio
      const double w = 11.0 * weights.c[j];
      EXPECT_GE(w, previous * (1.0 - 1e-14)) << lambda << " " << j;
      EXPECT_LE(w, (1.0 + 1e-12) / lambda) << lambda << " " << j;
      previous = w;
    }
    EXPECT_NEAR(previous * lambda, 1.0, 1e-12);                           // the bound is reached
    EXPECT_NEAR(11.0 * weights.c[0], 1.0, 1e-14);                         // a ratio of 1 weighs 1 whatever lambda is
    EXPECT_NEAR(weights.c[10], lambda == 1.0 ? 1.0 / 11.0 : 0.0, 1e-15);  // only lambda = 1 ignores the ratio
  }
}

TEST(PowerMeanWeights, WithoutCorrectionArePlainImportanceWeights) {
  const Window window = mixed_window();
  const Weights power_mean = weigh(multiple_power_mean(explicit_lambda({0.0})), window);
  const Weights plain = weigh(multiple_importance_weights(), window);
  for (std::size_t i = 0; i < plain.c.size(); ++i) EXPECT_NEAR(power_mean.c[i], plain.c[i], 1e-14 * plain.c[i]);
}

TEST(PowerMeanWeights, WithoutCorrectionSaturateAsPlainOnes) {
  Window window(kFullReuse);
  window.push({}, scripted({299.0, 400.0, 800.0, 1e4, -1e4}));
  const Weights power_mean = weigh(multiple_power_mean(explicit_lambda({0.0})), window);
  const Weights plain = weigh(multiple_importance_weights(), window);
  EXPECT_EQ(power_mean.saturated, 3);
  for (std::size_t i = 0; i < plain.c.size(); ++i) EXPECT_NEAR(power_mean.c[i], plain.c[i], 1e-12 * plain.c[i]);
}

TEST(PowerMeanWeights, WithFullCorrectionAreUniform) {
  const Window window = mixed_window();
  const Weights weights = weigh(multiple_power_mean(explicit_lambda({1.0})), window);
  for_weights(window, weights, [](std::size_t, std::size_t, double c) { EXPECT_NEAR(c, 1.0 / 14.0, 1e-16); });
}

TEST(PowerMeanWeights, FollowTheDivergencesOfTheirBatches) {
  Window window(kFullReuse);
  window.push({}, scripted({0.5, -0.5, 1.0, 2.0}, std::vector<double>(4, std::log(16.0))));
  window.push({}, scripted({0.0, 0.0, 0.0, 0.0}));
  const Weights weights = weigh(multiple_power_mean({}), window);
  EXPECT_NEAR(weights.log_divergence[0], std::log(16.0), 1e-14);
  EXPECT_EQ(weights.log_divergence[1], 0.0);
  EXPECT_NEAR(std::exp(weights.log_alpha[0]), 0.2, 1e-14);                      // 1/4 to 1
  EXPECT_NEAR(std::exp(weights.log_lambda[0]), std::sqrt(1.0 / 128.0), 1e-14);  // 1 / (4 * 2 * 16)
  const double lambda = std::sqrt(1.0 / 128.0);
  EXPECT_NEAR(weights.c[3], 0.2 / 4.0 / ((1.0 - lambda) * std::exp(-2.0) + lambda), 1e-14);
  EXPECT_NEAR(weights.c[4], 0.8 / 4.0, 1e-15);

  // The naive estimate of the same divergences, and another order.
  const Weights sampled = weigh(multiple_power_mean({}, {.estimator = DivergenceEstimator::kSample}), window);
  const double d = (std::exp(1.0) + std::exp(-1.0) + std::exp(2.0) + std::exp(4.0)) / 4.0;
  EXPECT_NEAR(sampled.log_divergence[0], std::log(d), 1e-14);
  EXPECT_NEAR(std::exp(sampled.log_alpha[0] - sampled.log_alpha[1]), 1.0 / std::sqrt(d), 1e-14);
  const Weights third = weigh(multiple_power_mean({}, {.order = 3.0}), window);
  EXPECT_NEAR(third.log_divergence[0], 3.0 * std::log(16.0), 1e-13);
}

TEST(PowerMeanWeights, AreFiniteWhereAlphaAndTheWeightAreNot) {
  // Nine batches of one trajectory at log d_2 = 5000 and the fresh one: alpha = e^-2500, w = e^2500 sqrt(10).
  Window window(kFullReuse);
  for (int i = 0; i < 9; ++i) window.push({}, scripted({4e4}, {5000.0}));
  window.push({}, scripted({0.0}));
  const Weights weights = weigh(multiple_power_mean({}), window);
  ASSERT_TRUE(all_finite(weights.c));
  for_weights(window, weights,
              [](std::size_t i, std::size_t, double c) { EXPECT_NEAR(c, i < 9 ? std::sqrt(10.0) : 1.0, 1e-11); });
}

TEST(PowerMeanWeights, OfABatchAtAnInfiniteDistanceAreZero) {
  Window window(kFullReuse);
  window.push({}, scripted({400.0, -3.0, 0.0}, {kInfinity, kInfinity, kInfinity}));
  window.push({}, scripted({0.0, 0.0}));
  for (const CoefficientRule rule : {CoefficientRule::kAdaptive, CoefficientRule::kBoundOptimal}) {
    const Weights weights = weigh(multiple_power_mean({.rule = rule}), window);
    for_weights(window, weights,
                [](std::size_t i, std::size_t, double c) { EXPECT_NEAR(c, i == 0 ? 0.0 : 0.5, 1e-15); });
    EXPECT_EQ(weights.saturated, 0) << "what does not count is not cut";
  }
  const Weights fixed = weigh(multiple_power_mean({.rule = CoefficientRule::kFixed}), window);
  EXPECT_TRUE(all_finite(fixed.c));
  EXPECT_GT(fixed.c[0], 0.0) << "a rule that does not look at divergences";
}

TEST(ImportanceWeights, OfABatchAtAnInfiniteDistanceAreThoseOfItsRatios) {
  Window window(kFullReuse);
  window.push({0.0}, scripted({0.7, -3.0, 0.0}, {kInfinity, kInfinity, kInfinity}));
  window.push({0.0}, scripted({0.0, 0.0}));
  const Weights plain = weigh(multiple_importance_weights(), window);
  EXPECT_NEAR(plain.c[0], std::exp(0.7) / 5.0, 1e-15);
  EXPECT_EQ(plain.log_divergence[0], kInfinity);
  const Weights balanced = weigh(balance_heuristic(), window);
  EXPECT_TRUE(all_finite(balanced.c));
  EXPECT_EQ(balanced.log_divergence[0], kInfinity);
}

TEST(PowerMeanWeights, RefuseImpossibleOptions) {
  expect_throw([] { multiple_power_mean({}, {.order = 1.0}); },
               "the order of a Renyi divergence must be greater than 1");
  expect_throw([] { multiple_power_mean({.constant = 0.0}); }, "c and D must be positive");
  expect_throw([] { multiple_power_mean({.divergence_bound = -1.0}); }, "c and D must be positive");
  expect_throw([] { multiple_power_mean({.confidence = 1.0}); }, "the confidence must lie in (0, 1)");
  expect_throw([] { multiple_power_mean({.rule = CoefficientRule::kExplicit}); },
               "explicit coefficients need at least one value of lambda");
}

/// A policy and windows of random batches, for the rule that compares trajectories with every stored policy.
class BalanceHeuristicWeights : public testing::Test {
 protected:
  const LinearGaussianOptions options_{.observation_size = 2, .action_size = 2, .variance = {0.5}};
  const std::unique_ptr<Policy> policy_ = linear_gaussian(options_);
  std::vector<TrajectoryBatch> batches_;  // all that were pushed

  void push(Window& window, const std::vector<double>& theta, Index size) {
    batches_.push_back(random_batch(options_, theta, size, 5, batches_.size() + 1));
    window.push(theta, policy_->digest(theta, batches_.back(), 1.0, Credit::kRewardToGo));
  }

  std::vector<double> iterate(std::uint64_t number) const { return random_numbers(4, 0.3, number); }
};

TEST_F(BalanceHeuristicWeights, AreTheTargetOverTheMixtureOfAllBatches) {
  Window window(kFullReuse);
  for (const Index size : {3, 5, 1, 6}) push(window, iterate(as_size(size)), size);
  for (const std::vector<double>& target : {window.entries().back().behavior, iterate(77)}) {
    const Weights weights = weigh(balance_heuristic(), window, target);
    for_weights(window, weights, [&](std::size_t i, std::size_t j, double c) {
      double mixture = 0.0;
      for (const WindowEntry& entry : window.entries()) {
        mixture += static_cast<double>(entry.evidence->size()) *
                   std::exp(reference::log_likelihood(options_, entry.behavior, batches_[i], static_cast<Index>(j)));
      }
      const double top = std::exp(reference::log_likelihood(options_, target, batches_[i], static_cast<Index>(j)));
      EXPECT_NEAR(c, top / mixture, 1e-11 * top / mixture);
    });
    EXPECT_TRUE(weights.log_alpha.empty());
    EXPECT_TRUE(weights.log_lambda.empty());
    EXPECT_EQ(weights.log_divergence.size(), 4U);
  }
}

TEST_F(BalanceHeuristicWeights, OfTheCurrentPolicyAreAtMostOneOverItsBatch) {
  Window window(6);
  for (std::uint64_t k = 1; k <= 10; ++k) {
    push(window, random_numbers(4, 2.0, k), 5);  // far apart: some weights come to the bound, some to nothing
    const Weights weights = weigh(balance_heuristic(), window, window.entries().back().behavior);
    for_weights(window, weights, [](std::size_t, std::size_t, double c) {
      EXPECT_GT(c, 0.0);
      EXPECT_LE(5.0 * c, 1.0 + 1e-14);
    });
  }
}

TEST_F(BalanceHeuristicWeights, OfEqualPoliciesAreUniform) {
  Window window(kFullReuse);
  for (const Index size : {3, 5, 1, 6}) push(window, iterate(1), size);
  const Weights weights = weigh(balance_heuristic(), window, iterate(1));
  for_weights(window, weights, [](std::size_t, std::size_t, double c) { EXPECT_NEAR(c, 1.0 / 15.0, 1e-16); });
}

TEST_F(BalanceHeuristicWeights, OfOneBatchArePlainImportanceWeights) {
  Window window(1);
  push(window, iterate(1), 6);
  const Weights balanced = weigh(balance_heuristic(), window, iterate(2));
  const Weights plain = weigh(multiple_importance_weights(), window, iterate(2));
  for (std::size_t i = 0; i < plain.c.size(); ++i) EXPECT_NEAR(balanced.c[i], plain.c[i], 1e-14 * plain.c[i]);
}

TEST_F(BalanceHeuristicWeights, KeepLikelihoodsThatAFreshRuleWouldComputeAgain) {
  for (const Index capacity : {Index{1}, Index{2}, Index{4}, kFullReuse}) {
    Window window(capacity);
    const auto rule = balance_heuristic();
    for (std::uint64_t k = 1; k <= 15; ++k) {
      push(window, iterate(k), 1 + static_cast<Index>(k * k % 7));
      if (k == 3 || k == 8) continue;  // now and then two batches come at once
      const std::vector<double>& theta = window.entries().back().behavior;
      EXPECT_EQ(bits(weigh(*rule, window, theta).c), bits(weigh(balance_heuristic(), window, theta).c));
    }
    for (std::uint64_t k = 16; k <= 25; ++k) push(window, iterate(k), 4);  // more than the window holds
    EXPECT_EQ(bits(weigh(*rule, window, iterate(25)).c), bits(weigh(balance_heuristic(), window, iterate(25)).c));
  }
}

TEST_F(BalanceHeuristicWeights, KeepNothingOfAWindowThatWasRestoredToAnEarlierState) {
  Window window(3);
  for (std::uint64_t k = 1; k <= 3; ++k) push(window, iterate(k), 4);
  Archive saved(Archive::Mode::kSave);
  window.state(saved, *policy_);
  const auto rule = balance_heuristic();
  for (std::uint64_t k = 4; k <= 8; ++k) {
    push(window, iterate(k), 4);
    weigh(*rule, window, iterate(k));
  }
  Archive archive(saved.state());
  window.state(archive, *policy_);
  EXPECT_EQ(bits(weigh(*rule, window, iterate(3)).c), bits(weigh(balance_heuristic(), window, iterate(3)).c));
}

TEST_F(BalanceHeuristicWeights, AreFiniteWhereLikelihoodsAreNot) {
  Window window(kFullReuse);
  push(window, {0.0, 0.0, 0.0, 0.0}, 4);
  push(window, {90.0, 0.0, 0.0, -90.0}, 4);
  const Weights weights = weigh(balance_heuristic(), window, window.entries().back().behavior);
  ASSERT_TRUE(all_finite(weights.c));
  for (std::size_t j = 0; j < 4; ++j) EXPECT_LT(weights.c[j], 1e-6);
  for (std::size_t j = 4; j < 8; ++j) EXPECT_NEAR(weights.c[j], 0.25, 1e-6);
}

}  // namespace
}  // namespace retropg::test
