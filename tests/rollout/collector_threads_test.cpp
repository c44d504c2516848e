#include "retropg/rollout/collector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "retropg/policy/linear_gaussian.hpp"
#include "support/collecting.hpp"
#include "support/many_threads.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

TEST(CollectorThreads, AnyThreadsLanesAndFusedTargetGiveTheSameBits) {
  const ManyThreads many;
  const Problem problem = cart_pole_problem();
  std::vector<std::string> targets = fused_targets();
  if (targets.empty()) targets = kernels::available_targets();
  for (const Index count : {1, 3, 4, 5, 31, 64, 130, 2100}) {
    Results expected;
    for (const std::string& target : targets) {
      const ForcedTarget forced(target);
      for (const Index threads : {1, 2, 3, 5}) {
        for (const Index lanes : {4, 8, 12, 32, 64}) {
          const Results got = results(collect(problem, {.count = count, .threads = threads, .lanes = lanes}));
          if (expected.lengths.empty()) expected = got;
          ASSERT_EQ(got, expected) << count << " " << target << " " << threads << " " << lanes;
        }
      }
    }
    if (count < 100) continue;
    const auto [shortest, longest] = std::ranges::minmax(expected.lengths);
    EXPECT_LT(shortest, 50);  // or lanes would never have been refilled in another order
    EXPECT_EQ(longest, 200);
  }
}

TEST(CollectorThreads, AnyThreadsAndLanesGiveTheSameBitsOfEveryPolicyAndSimulator) {
  const ManyThreads many;
  for (const Problem& problem : of_both_kinds({noisy_problem(), scaled_problem()})) {
    for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
      const Results expected = results(collect(problem, {.count = 45, .lanes = 4, .credit = credit}));
      for (const Index threads : {1, 2, 3, 5}) {
        for (const Index lanes : {4, 12, 64}) {
          const Request request{.count = 45, .threads = threads, .lanes = lanes, .credit = credit};
          ASSERT_EQ(results(collect(problem, request)), expected) << threads << " " << lanes;
        }
      }
    }
  }
}

TEST(CollectorThreads, AnyThreadsAndLanesGiveTheSameSteps) {
  const ManyThreads many;
  for (const Problem& problem : {cart_pole_problem(), noisy_problem()}) {
    const std::vector<std::uint64_t> expected = bits_of(collect_steps(problem, {.count = 45, .lanes = 4}));
    for (const Index threads : {1, 2, 3, 5}) {
      for (const Index lanes : {4, 8, 64}) {
        const Request request{.count = 45, .threads = threads, .lanes = lanes};
        ASSERT_EQ(bits_of(collect_steps(problem, request)), expected) << threads << " " << lanes;
      }
    }
  }
}

/// Counts the trajectories that start in a block.
class Counting final : public Environment {
 public:
  Counting(std::unique_ptr<Environment> inner, std::atomic<Index>& starts)
      : inner_(std::move(inner)), starts_(starts) {}
  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    ++starts_;
    inner_->reset(lane, random, observations);
  }
  void step(const LaneStep& step) override { inner_->step(step); }
  void move(Index from, Index to) override { inner_->move(from, to); }

 private:
  std::unique_ptr<Environment> inner_;
  std::atomic<Index>& starts_;
};

TEST(CollectorThreads, WithFewRoundsNoBlockTakesMoreThanItsShare) {
  const ManyThreads many;
  for (const Index threads : {1, 2, 3}) {
    Problem problem = cart_pole_problem();
    std::array<std::atomic<Index>, 3> starts{};
    std::atomic<std::size_t> blocks = 0;
    problem.environment.make = [&, make = problem.environment.make](Index lanes) {
      return std::make_unique<Counting>(make(lanes), starts.at(blocks++));
    };
    collect(problem, {.count = 20, .threads = threads, .lanes = 4});
    EXPECT_EQ(blocks, as_size(threads));
    EXPECT_EQ(starts[0] + starts[1] + starts[2], 20);
    for (const std::atomic<Index>& count : starts) EXPECT_LE(count, (20 + threads - 1) / threads);
  }
}

TEST(CollectorThreads, UsedBlocksGiveTheSameBitsAsNewOnes) {
  const ManyThreads many;
  for (const Problem& problem : of_both_kinds({cart_pole_problem(), noisy_problem(), scaled_problem()})) {
    const std::unique_ptr<Policy> policy = problem.policy();
    const Workers workers(3);
    Collector collector(problem.environment, *policy, {.seed = 1, .lanes = 8}, workers);
    const auto other_theta = uniform_numbers(problem.theta.size(), -1.0, 1.0, 1);
    for (const Index count : {50, 7, 50, 1, 23}) {  // sizes that reuse blocks and sizes that do not
      const Results expected = results(collect(problem, {.count = count}));
      EXPECT_EQ(results(collector.collect(problem.theta, 3, 0, count)), expected);
      collector.collect_steps(other_theta, 9, 4, 17);
      EXPECT_EQ(results(collector.collect(problem.theta, 3, 0, count)), expected);
      collector.collect(other_theta, 9, 4, count);
    }
  }
}

}  // namespace
}  // namespace retropg::test
