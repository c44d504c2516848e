#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/reuse/weights.hpp"
#include "support/bits.hpp"
#include "support/many_threads.hpp"
#include "support/random_batch.hpp"
#include "support/weighing.hpp"

namespace retropg::test {
namespace {

TEST(WeightThreads, DoNotChangeABit) {
  const ManyThreads allowed;
  const LinearGaussianOptions options{.observation_size = 2, .action_size = 1};
  const auto policy = linear_gaussian(options);
  Window window(kFullReuse);
  for (std::uint64_t k = 1; k <= 3; ++k) {
    const std::vector<double> theta = random_numbers(2, 0.3, k);
    window.push(theta, policy->digest(theta, random_batch(options, theta, 403, 4, k), 1.0, Credit::kRewardToGo));
  }
  const std::vector<double> theta = random_numbers(2, 0.3, 3);
  const auto rules = [] {
    std::vector<std::unique_ptr<WeightRule>> all;
    all.push_back(multiple_importance_weights());
    all.push_back(balance_heuristic());
    all.push_back(multiple_power_mean({}));
    return all;
  };
  const auto one = rules();
  for (const Index threads : {2, 3}) {
    const auto many = rules();
    for (std::size_t r = 0; r < one.size(); ++r) {
      EXPECT_EQ(bits(weigh(*many[r], window, theta, threads).c), bits(weigh(*one[r], window, theta, 1).c));
    }
  }
}

}  // namespace
}  // namespace retropg::test
