#include "retropg/training/iterate_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "retropg/statistics/statistics.hpp"
#include "support/expect_throw.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

const ReturnRange kCartPole{.smallest = 1.0, .largest = 200.0};

/// An iteration of a method with a window of 32, whose fresh batch has the standard deviation 20.
IterateReturns after(Index collected, double mean) {
  static const std::vector<double> fresh{130.0, 170.0, 130.0, 170.0, 130.0, 170.0, 130.0, 170.0};
  return {.value = {.mean = mean, .variance = 400.0, .effective = 32.0, .trajectories = 32},
          .fresh = fresh,
          .predicted = 150.0,
          .collected = collected};
}

/// An iteration of a method without a window.
IterateReturns of_batch(const std::vector<double>& returns, Index collected) {
  return {.value = return_estimate(returns), .fresh = returns, .predicted = {}, .collected = collected};
}

const std::vector<double> kFirst{0.0}, kGood{1.0}, kLater{2.0};

TEST(IterateChoice, TakesAnEarlierIterateOnlyIfItIsClearlyBetter) {
  IterateChoice choice(kFirst, kCartPole);
  EXPECT_FALSE(choice.has_better());
  choice.consider(kGood, after(320, 150.0));
  EXPECT_FALSE(choice.has_better()) << "it is the newest";
  choice.consider(kLater, after(352, 140.0));
  EXPECT_FALSE(choice.has_better()) << "may be luck";
  choice.consider(kLater, after(384, 100.0));
  EXPECT_TRUE(choice.has_better());
  EXPECT_EQ(choice.better()[0], 1.0);
  EXPECT_EQ(choice.better_return().mean, 150.0);
  EXPECT_EQ(choice.last_return({}).mean, 100.0);
  choice.consider(kLater, after(416, 160.0));
  EXPECT_FALSE(choice.has_better());
}

TEST(IterateChoice, CountsAllEstimatesOfTheRunAsChoices) {
  IterateChoice choice(kFirst, kCartPole);
  choice.consider(kGood, after(32, 150.0));
  const EstimatedReturn first = choice.better_return();
  for (Index k = 2; k <= 100; ++k) choice.consider(kLater, after(32 * k, 100.0));
  const EstimatedReturn chosen = choice.better_return();
  EXPECT_EQ(choice.better()[0], 1.0);
  const double error = (first.high - first.mean) / student_t_quantile(0.975, first.freedom);
  EXPECT_NEAR(chosen.low, 150.0 + error * student_t_quantile(0.025 / 100.0, first.freedom), 1e-9)
      << "one of 3200 / 32, though it was the first";
  EXPECT_EQ(chosen.high, first.high);
}

TEST(IterateChoice, IsNotFooledByALuckyBatchWithASmallSpread) {
  IterateChoice choice(kFirst, {.smallest = {}, .largest = 0.0});
  for (Index k = 1; k <= 10; ++k) choice.consider(kFirst, of_batch({-9.0, -3.0}, 2 * k));
  choice.consider(kGood, of_batch({-2.0, -2.001}, 22));
  EXPECT_EQ(choice.better()[0], 1.0) << "none is better by itself";
  EXPECT_LT(choice.better_return().low, -9.0) << "but it may be as bad as its neighbors";
  choice.consider(kLater, of_batch({-6.0, -5.999}, 24));
  EXPECT_FALSE(choice.has_better());
  const EstimatedReturn last = choice.last_return({});
  EXPECT_LT(last.low, -9.0);
  EXPECT_TRUE(last.known());
}

TEST(IterateChoice, IsNotFooledByEqualReturnsAtTheBeginning) {
  IterateChoice choice(kFirst, kCartPole);
  choice.consider(kGood, of_batch({58.0, 58.0}, 2));
  for (Index k = 2; k <= 20; ++k) choice.consider(kLater, of_batch({30.0, 50.0}, 2 * k));
  EXPECT_FALSE(choice.has_better());
  EXPECT_EQ(choice.better()[0], 2.0) << "it was no candidate";
}

TEST(IterateChoice, KnowsTheSpreadOfASingleTrajectoryFromTheBatchesBefore) {
  IterateChoice choice(kFirst, kCartPole);
  choice.consider(kFirst, of_batch({50.0}, 1));
  EXPECT_FALSE(choice.last_return({}).known());
  for (Index k = 1; k <= 10; ++k) choice.consider(kFirst, of_batch({90.0, 110.0}, 1 + 2 * k));
  choice.consider(kLater, of_batch({100.0}, 22));
  EXPECT_TRUE(choice.last_return({}).known());
  EXPECT_LT(choice.last_return({}).low, 80.0);
}

TEST(IterateChoice, ReachesAsFarAsItsPredictionsWereOff) {
  IterateChoice right(kFirst, kCartPole), low(kFirst, kCartPole);
  IterateReturns surprised = after(320, 150.0);
  surprised.predicted = 140.0;  // the batch has 150
  right.consider(kFirst, after(320, 150.0));
  low.consider(kFirst, surprised);
  const ReturnEstimate next = after(320, 152.0).value;
  EXPECT_EQ(low.last_return(next).low, right.last_return(next).low);
  EXPECT_NEAR(low.last_return(next).high, right.last_return(next).high + 10.0, 1e-9);
}

TEST(IterateChoice, IsSavedAndRestored) {
  IterateChoice choice(kFirst, kCartPole), other(std::vector{5.0}, kCartPole);
  choice.consider(kGood, after(320, 150.0));
  choice.consider(kLater, after(352, 90.0));
  Archive saved(Archive::Mode::kSave);
  choice.state(saved);
  Archive archive(saved.state());
  other.state(archive);
  for (IterateChoice* each : {&choice, &other}) each->consider(kLater, after(384, 80.0));
  EXPECT_TRUE(other.has_better());
  EXPECT_EQ(other.better()[0], 1.0);
  EXPECT_EQ(other.better_return().low, choice.better_return().low);
  EXPECT_EQ(other.last_return({}).high, choice.last_return({}).high);
  for (const auto& [name, number] : {std::pair{"newest_error", -1.0}, {"newest_freedom", 1e-300}}) {
    SavedState damaged = saved.state();
    damaged.numbers.at(name) = {number};
    Archive refused(damaged);
    expect_throw([&] { other.state(refused); }, "impossible estimate of a return");
  }
  SavedState damaged = saved.state();
  damaged.counts.at("newest_trajectories") = {0};
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
    const bool at_mean = std::ranges::equal(session.trainer.output(), session.trainer.parameters());
    EXPECT_EQ(session.trainer.output_name(), at_mean ? "last" : "centroid");
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
