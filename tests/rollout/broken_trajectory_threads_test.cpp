// One rule for broken numbers, however a trajectory is simulated and whatever is kept of it.
#include "retropg/rollout/broken_trajectory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/breaking_environment.hpp"
#include "support/collecting.hpp"
#include "support/expect_throw.hpp"
#include "support/many_threads.hpp"

namespace retropg::test {
namespace {

constexpr std::uint64_t kSeed = 3;
constexpr Index kIteration = 4, kFirst = 10, kCount = 30;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double start_of(Index trajectory) {
  return breaking_start(kSeed, kIteration, trajectory);
}

struct Acting {
  std::string name;
  std::shared_ptr<const Policy> policy;
  std::vector<double> theta;
};

std::vector<Acting> policies() {
  const auto linear = [](LinearGaussianOptions options) {
    options.observation_size = 2, options.action_size = 1;
    return std::shared_ptr<const Policy>(linear_gaussian(options));
  };
  const auto hyper = [](std::shared_ptr<const Policy> inner) {
    return std::shared_ptr<const Policy>(hyperpolicy(std::move(inner), {.variance = {0.1}}));
  };
  const std::shared_ptr<const Policy> network = mlp_gaussian({.observation_size = 2, .action_size = 1, .hidden = {3}});
  return {{"moments", linear({.evidence = EvidenceKind::kMoments}), {0.3, 0.1}},
          {"moments of scaled features",
           linear({.bias = true, .shift = {0.1, 0.2}, .scale = {1.0, 0.0}, .evidence = EvidenceKind::kMoments}),
           {0.3, 0.2}},
          {"steps", linear({.evidence = EvidenceKind::kSteps}), {0.3, 0.1}},
          {"network", network, network->initial_parameters(1)},
          {"parameters of a linear policy", hyper(linear({})), {0.3, 0.1}},
          {"parameters of a network", hyper(network), network->initial_parameters(1)}};
}

struct Layout {
  Index threads, lanes;
};
constexpr Layout kLayouts[] = {{1, 4}, {1, 32}, {2, 8}, {3, 4}, {3, 32}};

/// Calls f with a collector of each layout.
template <class F>
void with_collectors(const Acting& acting, const std::vector<Break>& breaks, OnBroken on_broken, F f) {
  const ManyThreads many;
  for (const Layout& layout : kLayouts) {
    SCOPED_TRACE(acting.name + ", threads " + std::to_string(layout.threads) + ", lanes " +
                 std::to_string(layout.lanes));
    const Workers workers(layout.threads);
    Collector collector(breaking(breaks), *acting.policy,
                        {.seed = kSeed, .lanes = layout.lanes, .on_broken = on_broken}, workers);
    f(collector);
  }
}

TEST(BrokenTrajectory, IsSeenWhereverItsNumberIs) {
  const double above = std::nextafter(kLargestNumber, kInfinity);
  const Index last = breaking_length(start_of(21));
  const std::vector<Break> places = {
      {.start = start_of(21), .step = 0, .part = BrokenPart::kObservation, .value = above},
      {.start = start_of(21), .step = 3, .part = BrokenPart::kObservation, .value = -above},
      {.start = start_of(21), .step = last, .part = BrokenPart::kObservation, .value = -kInfinity},
      {.start = start_of(21), .step = 0, .part = BrokenPart::kReward, .value = std::nan("")},
      {.start = start_of(21), .step = last - 1, .part = BrokenPart::kReward, .value = above}};
  for (const Acting& acting : policies()) {
    for (const Break& broken : places) {
      const std::string where = "Breaking-v0, iteration 4, trajectory 21, step " + std::to_string(broken.step) + ": ";
      with_collectors(acting, {broken}, OnBroken::kStop, [&](Collector& collector) {
        expect_throw<BrokenTrajectory>([&] { collector.collect(acting.theta, kIteration, kFirst, kCount); }, where);
        expect_throw<BrokenTrajectory>([&] { collector.collect_steps(acting.theta, kIteration, kFirst, kCount); },
                                       where);
      });
    }
  }
}

TEST(BrokenTrajectory, IsSeenThoughItsRewardsCancel) {
  const std::vector<Break> breaks = {{.start = start_of(21), .step = 1, .part = BrokenPart::kReward, .value = 4e200},
                                     {.start = start_of(21), .step = 2, .part = BrokenPart::kReward, .value = -8e200}};
  for (const Acting& acting : policies()) {  // with the discount of 0.5
    with_collectors(acting, breaks, OnBroken::kStop, [&](Collector& collector) {
      expect_throw<BrokenTrajectory>([&] { collector.collect(acting.theta, kIteration, kFirst, kCount); },
                                     "trajectory 21, step 1: the reward is 4e+200; its absolute value must not exceed");
    });
  }
}

TEST(BrokenTrajectory, IsSeenByItsActionAlone) {
  const auto policy = linear_gaussian({.observation_size = 2, .action_size = 1});
  const auto hyper = hyperpolicy(linear_gaussian({.observation_size = 2, .action_size = 1}), {});
  const Workers workers;
  for (const Policy* one : {policy.get(), hyper.get()}) {
    Collector collector(breaking({}), *one, {.seed = kSeed}, workers);
    expect_throw<BrokenTrajectory>(
        [&] {
          collector.collect(std::vector{0.0, 3e100}, kIteration, kFirst, kCount);
        },
        "Breaking-v0, iteration 4, trajectory 10, step 0: the action is 1.5");
  }
}

TEST(BrokenTrajectory, IsNoneAtTheLimit) {
  const std::vector<Break> breaks = {
      {.start = start_of(21), .step = 0, .part = BrokenPart::kObservation, .value = kLargestNumber},
      {.start = start_of(22), .step = 4, .part = BrokenPart::kReward, .value = -kLargestNumber}};
  for (const Acting& acting : policies()) {
    if (acting.name == "parameters of a linear policy") continue;  // its actions would be too large
    const std::vector<double> theta(acting.theta.size(), 0.0);
    with_collectors(acting, breaks, OnBroken::kDrop, [&](Collector& collector) {
      const Collected collected = collector.collect(theta, kIteration, kFirst, kCount);
      EXPECT_EQ(collected.returns.size(), as_size(kCount));
      EXPECT_EQ(collected.dropped.trajectories, 0);
    });
  }
}

TEST(BrokenTrajectory, CarriesWhatReproducesIt) {
  const Break broken{.start = start_of(21), .step = 3, .part = BrokenPart::kReward, .value = 1.7e308};
  for (const Acting& acting : policies()) {
    const double spread = acting.policy->provides(Capability::kSpread) ? 0.7 : 1.0;
    with_collectors(acting, {broken}, OnBroken::kStop, [&](Collector& collector) {
      try {
        collector.collect(acting.theta, kIteration, kFirst, kCount, spread);
        FAIL() << "accepted";
      } catch (const BrokenTrajectory& error) {
        const BrokenRollout& rollout = error.rollout();
        EXPECT_EQ(rollout.environment, "Breaking-v0");
        EXPECT_EQ(rollout.iteration, kIteration);
        EXPECT_EQ(rollout.trajectory, 21);
        EXPECT_EQ(rollout.step, 3);
        EXPECT_EQ(rollout.what, "the reward is 1.7e+308; its absolute value must not exceed 1e+100");
        EXPECT_EQ(rollout.behavior, acting.theta);
        EXPECT_EQ(rollout.spread, spread);
        ASSERT_EQ(rollout.steps.size(), 1);
        ASSERT_EQ(rollout.steps.steps(), 4);
        EXPECT_EQ(rollout.steps.rewards.back(), 1.7e308);
        EXPECT_EQ(rollout.steps.observations.front(), start_of(21) - 0.5);
        EXPECT_TRUE(rollout.steps.endings.empty());
      }
    });
  }
}

TEST(BrokenTrajectory, IsDroppedAsIfItHadNeverBeen) {
  const std::vector<Break> breaks = {
      {.start = start_of(10), .step = 0, .part = BrokenPart::kObservation, .value = kInfinity},
      {.start = start_of(21), .step = 3, .part = BrokenPart::kReward, .value = 1.7e308},
      {.start = start_of(22), .step = breaking_length(start_of(22)), .part = BrokenPart::kObservation, .value = 2e100},
      {.start = start_of(39), .step = 2, .part = BrokenPart::kObservation, .value = std::nan("")}};
  const Index steps = breaking_length(start_of(10)) + breaking_length(start_of(21)) + breaking_length(start_of(22)) +
                      breaking_length(start_of(39));
  for (const Acting& acting : policies()) {
    const Workers workers;
    Collector whole(breaking({}), *acting.policy, {.seed = kSeed}, workers);
    TrajectoryBatch kept{.observation_size = 2, .action_size = 1};
    const TrajectoryBatch all = whole.collect_steps(acting.theta, kIteration, kFirst, kCount);
    Index next = 0;
    for (const Index j : {10, 21, 22, 39}) {
      kept.append(all, next, j - kFirst);
      next = j - kFirst + 1;
    }
    const std::vector<double> returns = discounted_returns(kept, 0.5);
    with_collectors(acting, breaks, OnBroken::kDrop, [&](Collector& collector) {
      Dropped dropped;
      const TrajectoryBatch batch = collector.collect_steps(acting.theta, kIteration, kFirst, kCount, 1.0, &dropped);
      EXPECT_EQ(bits_of(batch), bits_of(kept));
      EXPECT_EQ(batch.sampled, kept.sampled);
      const Collected collected = collector.collect(acting.theta, kIteration, kFirst, kCount);
      EXPECT_EQ(collected.evidence->size(), kCount - 4);
      for (const Dropped& counted : {dropped, collected.dropped}) {
        EXPECT_EQ(counted.trajectories, 4);
        EXPECT_EQ(counted.steps, steps);
      }
      ASSERT_EQ(collected.returns.size(), returns.size());
      for (std::size_t j = 0; j < returns.size(); ++j) {
        EXPECT_EQ(collected.lengths[j], kept.length(as_index(j)));
        EXPECT_NEAR(collected.returns[j], returns[j], 1e-14);
      }
      const auto digested = acting.policy->digest(acting.theta, kept, 0.5, Credit::kRewardToGo);
      const auto expected = digested->numbers(), numbers = collected.evidence->numbers();
      ASSERT_EQ(numbers.size(), expected.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_NEAR(numbers[i], expected[i], 1e-12) << i;
    });
  }
}

TEST(BrokenTrajectory, LeavesOutTheSameBitsInEveryLayout) {
  const std::vector<Break> breaks = {{.start = start_of(15), .step = 2, .part = BrokenPart::kReward, .value = 1e101}};
  for (const Acting& acting : policies()) {
    std::vector<Results> seen;
    with_collectors(acting, breaks, OnBroken::kDrop, [&](Collector& collector) {
      seen.push_back(results(collector.collect(acting.theta, kIteration, kFirst, kCount)));
      EXPECT_TRUE(seen.back() == seen.front());
    });
  }
}

TEST(BrokenTrajectory, StopsARunThatHasNoOtherOfItsPolicy) {
  std::vector<Break> breaks;
  for (Index j = kFirst; j < kFirst + 3; ++j) {
    breaks.push_back({.start = start_of(j), .step = 1, .part = BrokenPart::kReward, .value = kInfinity});
  }
  for (const Acting& acting : policies()) {
    with_collectors(acting, breaks, OnBroken::kDrop, [&](Collector& collector) {
      const std::string text =
          "iteration 4, trajectory 10, step 1: the reward is inf; every trajectory of this draw is broken";
      if (acting.policy->provides(Capability::kDrawnParameters)) {  // three policies, one trajectory of each
        EXPECT_EQ(collector.collect(acting.theta, kIteration, kFirst, 3).evidence, nullptr);
        EXPECT_EQ(collector.collect_steps(acting.theta, kIteration, kFirst, 3).size(), 0);
      } else {
        expect_throw<BrokenTrajectory>([&] { collector.collect(acting.theta, kIteration, kFirst, 3); }, text);
        expect_throw<BrokenTrajectory>([&] { collector.collect_steps(acting.theta, kIteration, kFirst, 3); }, text);
      }
      EXPECT_EQ(collector.collect(acting.theta, kIteration, kFirst, 4).dropped.trajectories, 3);
    });
  }
}

TEST(BrokenTrajectory, LeavesNothingOfADrawOfOne) {
  const double start = start_of(kFirst);
  const std::vector<Break> breaks = {{.start = start, .step = 1, .part = BrokenPart::kReward, .value = kInfinity}};
  for (const Acting& acting : policies()) {
    with_collectors(acting, breaks, OnBroken::kDrop, [&](Collector& collector) {
      const Collected nothing = collector.collect(acting.theta, kIteration, kFirst, 1);
      EXPECT_EQ(nothing.evidence, nullptr);
      EXPECT_TRUE(nothing.returns.empty() && nothing.lengths.empty());
      Dropped dropped;
      EXPECT_EQ(collector.collect_steps(acting.theta, kIteration, kFirst, 1, 1.0, &dropped).size(), 0);
      for (const Dropped& one : {nothing.dropped, dropped}) {
        EXPECT_EQ(one.trajectories, 1);
        EXPECT_EQ(one.steps, breaking_length(start));
      }
    });
  }
}

}  // namespace
}  // namespace retropg::test
