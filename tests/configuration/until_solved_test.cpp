// train.until_solved and train.confirm: how a run ends, and what counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "retropg/configuration/preset.hpp"
#include "retropg/configuration/train.hpp"
#include "support/expect_throw.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

Configuration cart_pole_run(std::uint64_t seed) {
  Configuration configuration = preset_configuration("CartPole");
  configuration.train.seed = seed;
  configuration.train.until_solved = true;
  return configuration;
}

TEST(UntilSolved, EndsAfterFiveDrawsAndFiveTrajectoriesOfWhatIsReturnedHaveReachedTheLargestReturn) {
  for (std::uint64_t seed = 101; seed <= 105; ++seed) {
    Index reached = 0, iterations = 0;
    std::vector<Outcome> last;
    const RunResult result = train(cart_pole_run(seed), [&](const IterationRecord& record) {
      last = record.outcomes;
      ++iterations;
      if (!std::isnan(record.return_mean)) {
        reached += std::ranges::count_if(last, [](const Outcome& outcome) { return outcome.value == 200.0; });
      }
      return true;
    });
    ASSERT_TRUE(result.solved) << seed;
    EXPECT_LT(result.trajectories, 500);
    EXPECT_FALSE(result.mean_return) << "five of five is what is known";
    EXPECT_GE(reached, 5);
    ASSERT_EQ(last.size(), 5U);
    for (const Outcome& outcome : last) EXPECT_EQ(outcome.value, 200.0);
  }
}

TEST(UntilSolved, CountsTrialsThatFailAndTriesAgainOnlyAfterAnotherDrawHasReachedTheLargestReturn) {
  Index failed = 0;
  for (std::uint64_t seed = 101; seed <= 500 && failed == 0; ++seed) {
    Index before = 1, reached = 0, reached_at_trial = 0;
    train(cart_pole_run(seed), [&](const IterationRecord& record) {
      EXPECT_EQ(record.trajectories - before, static_cast<Index>(record.outcomes.size()));
      before = record.trajectories;
      const bool trial = std::isnan(record.return_mean);
      const auto full = std::ranges::count_if(record.outcomes, [](const Outcome& o) { return o.value == 200.0; });
      if (trial) {
        EXPECT_EQ(record.outcomes.size(), 5U);
        EXPECT_GT(reached, reached_at_trial);
        reached_at_trial = reached;
        failed += full < 5 ? 1 : 0;
      } else {
        reached += full;
      }
      return true;
    });
  }
  EXPECT_GT(failed, 0) << "no trial failed with these seeds: the test has seen nothing";
}

TEST(UntilSolved, IsRefusedWhereItCannotBe) {
  Configuration rpg = cart_pole_run(1);
  rpg.algo.name = "rpg";
  expect_throw([&] { TrainingRun run(rpg); }, "train.until_solved is for nes");
  Configuration swimmer = cart_pole_run(1);
  swimmer.env.id = "Swimmer";
  expect_throw([&] { TrainingRun run(swimmer); }, "needs returns with a largest value");
}

TEST(UntilSolved, GoesOnToTheBitFromASavedState) {
  Configuration configuration = cart_pole_run(103);
  configuration.policy.scaling = "none";
  configuration.policy.width.reset();
  configuration.hyperpolicy.variance = {4.0};
  Session whole(configuration), half(configuration), other(configuration);
  while (!whole.trainer.finished()) whole.iterate();
  for (int k = 0; k < 10 && !half.trainer.finished(); ++k) half.iterate();
  Archive saved(Archive::Mode::kSave);
  half.trainer.state(saved);
  Archive back(saved.state());
  other.trainer.state(back);
  while (!other.trainer.finished()) other.iterate();
  EXPECT_EQ(other.trainer.solved(), whole.trainer.solved());
  EXPECT_EQ(other.trainer.trajectories(), whole.trainer.trajectories());
  EXPECT_TRUE(std::ranges::equal(other.trainer.output(), whole.trainer.output()));
}

TEST(Confirm, IsATwentiethOfABudgetAbove100IfItIsAutomatic) {
  const auto episodes = [](const std::vector<std::string>& settings) {
    return confirming_episodes(configured(settings).train);
  };
  EXPECT_EQ(episodes({"train.confirm=auto", "train.budget=100"}), 0);
  EXPECT_EQ(episodes({"train.confirm=auto", "train.budget=101"}), 5);
  EXPECT_EQ(episodes({"train.confirm=auto", "train.budget=500"}), 25);
  EXPECT_EQ(episodes({"train.confirm=auto", "train.iterations=10"}), 0) << "there is no budget to take them from";
  EXPECT_EQ(episodes({"train.confirm=auto", "train.budget=500", "train.steps=1000"}), 0)
      << "they would exceed the steps";
  EXPECT_EQ(episodes({"train.confirm=auto", "train.budget=500", "train.until_solved=true"}), 0) << "it has looked";
  EXPECT_EQ(episodes({"train.confirm=20", "train.budget=60"}), 20);
  EXPECT_EQ(preset_configuration("CartPole").train.confirm, kAutomatic);
  EXPECT_EQ(Configuration{}.train.confirm, 0);
}

TEST(Confirm, IsPartOfTheBudget) {
  Configuration configuration = preset_configuration("CartPole");
  configuration.train.budget = 60;
  configuration.train.confirm = 20;
  const RunResult result = train(configuration);
  EXPECT_EQ(result.trajectories, 60);
  ASSERT_TRUE(result.mean_return);
  EXPECT_EQ(result.mean_return->trajectories, 20);
  configuration.train.confirm = kAutomatic;
  EXPECT_FALSE(train(configuration).mean_return);
}

}  // namespace
}  // namespace retropg::test
