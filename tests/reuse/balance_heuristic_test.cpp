#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "retropg/policy/linear_gaussian.hpp"
#include "support/bits.hpp"
#include "support/random_batch.hpp"
#include "support/weighing.hpp"

namespace retropg::test {
namespace {

const LinearGaussianOptions kOptions{.observation_size = 2, .action_size = 1};

/// Pushes batch k = 1, 2, ..., whose size grows with k, and returns its behavior.
std::vector<double> push(Window& window, const Policy& policy, Index k) {
  const auto seed = static_cast<std::uint64_t>(k);
  std::vector<double> theta = random_numbers(2, 0.4, seed);
  window.push(theta, policy.digest(theta, random_batch(kOptions, theta, 3 + k, 5, seed), 1.0, Credit::kRewardToGo));
  return theta;
}

TEST(BalanceHeuristic, UnderFullReuseIsTheSameAsWithAWindowThatHoldsEverything) {
  const auto policy = linear_gaussian(kOptions);
  const auto mixtures = balance_heuristic(), rows = balance_heuristic();
  Window full(kFullReuse), wide(100);
  for (Index k = 1; k <= 12; ++k) {
    const std::vector<double> theta = push(full, *policy, k);
    push(wide, *policy, k);
    const Weights by_mixture = weigh(*mixtures, full, theta), by_rows = weigh(*rows, wide, theta);
    ASSERT_EQ(by_mixture.c.size(), by_rows.c.size());
    for (std::size_t j = 0; j < by_rows.c.size(); ++j) EXPECT_NEAR(by_mixture.c[j], by_rows.c[j], 1e-13 * by_rows.c[j]);
  }
}

TEST(BalanceHeuristic, AfterForgettingAFullReuseWindowHasTheSameBits) {
  const auto policy = linear_gaussian(kOptions);
  const auto kept = balance_heuristic(), restored = balance_heuristic();
  Window window(kFullReuse);
  for (Index k = 1; k <= 9; ++k) {
    const std::vector<double> theta = push(window, *policy, k);
    const Weights expected = weigh(*kept, window, theta);
    restored->forget();  // as after a restart, all mixtures are made anew
    EXPECT_EQ(bits(weigh(*restored, window, theta).c), bits(expected.c)) << "after batch " << k;
  }
}

TEST(BalanceHeuristic, CountsPoliciesThatAgreeWithTheTargetExactly) {
  const auto policy = linear_gaussian(kOptions);
  for (const Index capacity : {kFullReuse, Index{8}}) {
    Window window(capacity);
    const std::vector<double> theta = random_numbers(2, 40.0, 7);  // large, so that log-likelihoods are
    for (std::uint64_t k = 1; k <= 3; ++k) {
      window.push(theta, policy->digest(theta, random_batch(kOptions, theta, 5, 5, k), 1.0, Credit::kRewardToGo));
    }
    const Weights weights = weigh(*balance_heuristic(), window, theta);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(weights.c[i * 8 + j], 1.0 / 15.0) << capacity;
    }
  }
}

TEST(BalanceHeuristic, NeedsMemoryForPairsOnlyWhereBehaviorsLeave) {
  const auto rule = balance_heuristic();
  EXPECT_EQ(rule->bytes_per_trajectory(8, 8.0), 64.0);
  EXPECT_EQ(rule->bytes_per_trajectory(kFullReuse, 1e6), 16.0);
}

}  // namespace
}  // namespace retropg::test
