#include "retropg/training/iterate_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/expect_throw.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const ReturnRange kCartPole{.smallest = 1.0, .largest = 200.0};

ReturnEstimate of(double mean, double variance, double effective, Index trajectories = 32) {
  return {.mean = mean, .variance = variance, .effective = effective, .trajectories = trajectories};
}

TEST(EstimatedReturn, HasTheNormalIntervalWhereReturnsHaveNoBounds) {
  const EstimatedReturn estimate = estimated_return(of(10.0, 48.0, 13.0), {});
  EXPECT_EQ(estimate.mean, 10.0);
  EXPECT_NEAR(estimate.low, 10.0 - 1.959964 * 2.0, 1e-5);
  EXPECT_NEAR(estimate.high, 10.0 + 1.959964 * 2.0, 1e-5);
  EXPECT_EQ(estimate.effective, 13.0);
  EXPECT_EQ(estimate.trajectories, 32);
}

TEST(EstimatedReturn, IsNeverCertainBecauseAllReturnsAreAtABound) {
  double width = kInfinity;
  for (const double effective : {2.0, 10.0, 100.0, 1000.0}) {
    const EstimatedReturn estimate = estimated_return(of(200.0, 0.0, effective), kCartPole);
    EXPECT_EQ(estimate.high, 200.0) << "no more than the bound";
    EXPECT_GT(estimate.high - estimate.low, 0.0);
    EXPECT_LT(estimate.high - estimate.low, width);
    width = estimate.high - estimate.low;
    const double variance = 0.1 * 199.0 * 199.0 / effective;
    EXPECT_NEAR(estimate.low, std::max(1.0, 200.0 - 1.959964 * std::sqrt(variance / (effective - 1.0))), 1e-3);
  }
  const ReturnRange above{.smallest = {}, .largest = 0.0};
  EXPECT_LT(estimated_return(of(-1.0, 0.0, 10.0), above).low, -1.0) << "one bound will do";
  EXPECT_EQ(estimated_return(of(-1.0, 0.0, 10.0), {}).low, -1.0);
}

TEST(EstimatedReturn, SaysNothingWithFewerThanTwoTrajectories) {
  for (const double effective : {0.0, 0.5, 1.0, 1.000002, 1.99}) {
    const EstimatedReturn bounded = estimated_return(of(50.0, 1.0, effective), kCartPole);
    EXPECT_EQ(bounded.low, 1.0);
    EXPECT_EQ(bounded.high, 200.0);
    const EstimatedReturn unbounded = estimated_return(of(50.0, 1.0, effective), {});
    EXPECT_EQ(unbounded.low, -kInfinity);
    EXPECT_EQ(unbounded.high, kInfinity);
  }
}

TEST(EstimatedReturn, ThatWasChosenIsLowerAtItsLowerEndOnly) {
  const ReturnEstimate estimate = of(10.0, 48.0, 13.0);
  const EstimatedReturn alone = estimated_return(estimate, {}), chosen = estimated_return(estimate, {}, 100.0);
  EXPECT_NEAR(chosen.low, 10.0 - 3.480756 * 2.0, 1e-5) << "the quantile of 0.025 / 100";
  EXPECT_EQ(chosen.high, alone.high);
  EXPECT_EQ(estimated_return(estimate, {}, 0.5).low, alone.low);
}

TEST(IterateChoice, TakesAnEarlierIterateOnlyIfItIsClearlyBetter) {
  const std::vector<double> first{0.0}, good{1.0}, later{2.0};
  IterateChoice choice(first, kCartPole);
  EXPECT_FALSE(choice.has_better());
  choice.consider(good, of(150.0, 400.0, 32.0), 320);
  EXPECT_FALSE(choice.has_better()) << "it is the newest";
  choice.consider(later, of(140.0, 400.0, 32.0), 352);
  EXPECT_FALSE(choice.has_better()) << "may be luck";
  choice.consider(later, of(100.0, 400.0, 32.0), 384);
  EXPECT_TRUE(choice.has_better());
  EXPECT_EQ(choice.better()[0], 1.0);
  EXPECT_EQ(choice.better_return().mean, 150.0);
  EXPECT_LT(choice.better_return().low, estimated_return(of(150.0, 400.0, 32.0), kCartPole).low)
      << "chosen among about ten windows";
  EXPECT_EQ(choice.newest_return().mean, 100.0);
  choice.consider(later, of(160.0, 400.0, 32.0), 416);
  EXPECT_FALSE(choice.has_better());
}

TEST(IterateChoice, PrefersTheHigherLowerEnd) {
  const std::vector<double> lucky{1.0}, sure{2.0}, bad{3.0};
  IterateChoice choice(bad, kCartPole);
  choice.consider(lucky, of(180.0, 3000.0, 3.0, 4), 4);
  choice.consider(sure, of(170.0, 400.0, 32.0), 36);
  choice.consider(bad, of(20.0, 400.0, 32.0), 68);
  EXPECT_EQ(choice.better()[0], 2.0);
  choice.consider(lucky, of(190.0, 0.0, 1.0, 1), 69);
  EXPECT_EQ(choice.better()[0], 2.0) << "a single trajectory says nothing";
  EXPECT_FALSE(choice.has_better()) << "and nothing is known of the newest iterate then";
}

TEST(IterateChoice, IsSavedAndRestored) {
  IterateChoice choice(std::vector{0.0}, kCartPole), other(std::vector{5.0}, kCartPole);
  choice.consider(std::vector{1.0}, of(150.0, 400.0, 32.0), 320);
  choice.consider(std::vector{2.0}, of(90.0, 300.0, 32.0), 352);
  Archive saved(Archive::Mode::kSave);
  choice.state(saved);
  Archive archive(saved.state());
  other.state(archive);
  EXPECT_TRUE(other.has_better());
  EXPECT_EQ(other.better()[0], 1.0);
  EXPECT_EQ(other.better_return().low, choice.better_return().low);
  EXPECT_EQ(other.newest_return().high, choice.newest_return().high);
  SavedState damaged = saved.state();
  damaged.numbers.at("newest_variance") = {-1.0};
  Archive refused(damaged);
  expect_throw([&] { other.state(refused); }, "impossible estimate of a return");
}

/// The output after iterations at a good policy and then at a bad one, which stay as they are.
std::string output_after_a_fall(const std::string& algorithm) {
  Session session(configured({"env.id=Bandit", "algo.name=" + algorithm, "algo.batch=20", "algo.window=3",
                              "optimizer.rate=0", "policy.variance=0.1", "hyperpolicy.variance=0.1"}));
  const double good = 1.0, bad = -2.0;  // the target is 1, its width 1
  session.trainer.set_parameters({good});
  for (int k = 0; k < 5; ++k) session.iterate();
  EXPECT_EQ(session.trainer.output_name(), "last");
  session.trainer.set_parameters({bad});
  for (int k = 0; k < 5; ++k) session.iterate();
  EXPECT_EQ(session.trainer.output()[0], session.trainer.output_name() == "last" ? bad : good);
  const EstimatedReturn estimate = session.trainer.output_return();
  EXPECT_GT(estimate.mean, 0.8);
  EXPECT_LT(estimate.low, estimate.mean);
  EXPECT_EQ(estimate.trajectories, algorithm == "rpg" || algorithm == "pb-bh" ? 60 : 20);
  return std::string(session.trainer.output_name());
}

TEST(Output, IsTheBetterIterateAfterAFall) {
  for (const char* algorithm : {"rpg", "gpomdp", "pb-bh", "pgpe", "reinforce"}) {
    EXPECT_EQ(output_after_a_fall(algorithm), "estimated") << algorithm;
  }
}

TEST(Output, OfNesIsTheCentroidOfItsDrawsOrItsElite) {
  const Configuration settings =
      configured({"env.id=Bandit", "algo.name=nes", "algo.batch=2", "nes.recombine_from=1", "train.iterations=200"});
  Session session(settings), other(settings);
  while (!session.trainer.finished() && session.trainer.output_name() != "elite") {
    EXPECT_EQ(session.trainer.output_name(), session.trainer.iteration() == 1 ? "last" : "centroid");
    session.iterate();
  }
  ASSERT_EQ(session.trainer.output_name(), "elite");
  EXPECT_FALSE(std::ranges::equal(session.trainer.output(), session.trainer.parameters()));
  Archive saved(Archive::Mode::kSave);
  session.trainer.state(saved);
  Archive back(saved.state());
  other.trainer.state(back);
  EXPECT_TRUE(std::ranges::equal(other.trainer.output(), session.trainer.output()));
}

TEST(Output, IsEstimatedFromReturnsAlsoWithABaseline) {
  Session session(configured({"env.id=Bandit", "algo.baseline=mean", "algo.batch=20", "optimizer.rate=0"}));
  session.trainer.set_parameters({1.0});
  for (int k = 0; k < 3; ++k) session.iterate();
  EXPECT_GT(session.trainer.output_return().mean, 0.5) << "not less the baseline";
}

}  // namespace
}  // namespace retropg::test
