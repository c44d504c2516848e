#include "retropg/trajectory/trajectory_batch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/numbers.hpp"

namespace retropg::test {
namespace {

/// Three trajectories of 3, 1 and 2 steps with two observations and one action.
TrajectoryBatch small_batch() {
  TrajectoryBatch batch{.observation_size = 2, .action_size = 1};
  const std::vector<std::vector<double>> rewards{{1.0, 2.0, 4.0}, {8.0}, {-16.0, 32.0}};
  double number = 0.0;
  for (const std::vector<double>& trajectory : rewards) {
    for (const double reward : trajectory) {
      batch.add(std::vector{number, number + 0.5}, std::vector{-number}, reward);
      number += 1.0;
    }
    batch.close();
  }
  return batch;
}

TEST(TrajectoryBatch, LaysTrajectoriesEndToEnd) {
  const TrajectoryBatch batch = small_batch();
  EXPECT_EQ(batch.size(), 3);
  EXPECT_EQ(batch.steps(), 6);
  EXPECT_EQ(batch.first_step, (std::vector<Index>{0, 3, 4, 6}));
  EXPECT_EQ(batch.begin(1), 3);
  EXPECT_EQ(batch.length(0), 3);
  EXPECT_EQ(batch.length(1), 1);
  EXPECT_EQ(batch.length(2), 2);
  EXPECT_EQ(batch.observations, (std::vector{0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5}));
  EXPECT_EQ(batch.actions, (std::vector{-0.0, -1.0, -2.0, -3.0, -4.0, -5.0}));
  EXPECT_EQ(batch.rewards, (std::vector{1.0, 2.0, 4.0, 8.0, -16.0, 32.0}));
}

TEST(TrajectoryBatch, StartsEmpty) {
  const TrajectoryBatch batch;
  EXPECT_EQ(batch.size(), 0);
  EXPECT_EQ(batch.steps(), 0);
  EXPECT_TRUE(discounted_returns(batch, 0.9).empty());
  EXPECT_TRUE(step_credits(batch, 0.9, Credit::kReturn).empty());
}

TEST(TrajectoryBatch, RemembersHowTrajectoriesEnded) {
  TrajectoryBatch batch{.observation_size = 2, .action_size = 1}, other = batch;
  batch.add(std::vector{1.0, 2.0}, std::vector{3.0}, 4.0);
  batch.close(Ending::kCutOff, std::vector{5.0, 6.0});
  other.add(std::vector{1.5, 2.5}, std::vector{3.5}, 4.5);
  other.add(std::vector{1.5, 2.5}, std::vector{3.5}, 4.5);
  other.close(Ending::kTerminated, std::vector{7.0, 8.0});
  batch.append(other);
  EXPECT_EQ(batch.first_step, (std::vector<Index>{0, 1, 3}));
  EXPECT_EQ(batch.endings, (std::vector{Ending::kCutOff, Ending::kTerminated}));
  EXPECT_EQ(batch.final_observations, (std::vector{5.0, 6.0, 7.0, 8.0}));
  EXPECT_NO_THROW(check(batch, 2, 1, 2));
}

TEST(DiscountedReturns, DiscountFromTheStartOfEachTrajectory) {
  EXPECT_EQ(discounted_returns(small_batch(), 1.0), (std::vector{7.0, 8.0, 16.0}));
  EXPECT_EQ(discounted_returns(small_batch(), 0.5), (std::vector{3.0, 8.0, 0.0}));
  EXPECT_EQ(discounted_returns(small_batch(), 0.0), (std::vector{1.0, 8.0, -16.0}));
}

TEST(StepCredits, RewardToGoIsDiscountedFromTheStartNotFromTheStep) {
  EXPECT_EQ(step_credits(small_batch(), 1.0, Credit::kRewardToGo), (std::vector{7.0, 6.0, 4.0, 8.0, 16.0, 32.0}));
  EXPECT_EQ(step_credits(small_batch(), 0.5, Credit::kRewardToGo), (std::vector{3.0, 2.0, 1.0, 8.0, 0.0, 16.0}));
}

TEST(StepCredits, ReturnIsTheSameForEveryStepOfATrajectory) {
  EXPECT_EQ(step_credits(small_batch(), 1.0, Credit::kReturn), (std::vector{7.0, 7.0, 7.0, 8.0, 16.0, 16.0}));
  EXPECT_EQ(step_credits(small_batch(), 0.5, Credit::kReturn), (std::vector{3.0, 3.0, 3.0, 8.0, 0.0, 0.0}));
}

TEST(StepCredits, EqualTheirDefinitionOnLongTrajectories) {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  const std::vector<double> rewards = uniform_numbers(300, -1.0, 1.0, 1);
  for (std::size_t t = 0; t < 300; ++t) {
    batch.add(std::vector{0.0}, std::vector{0.0}, rewards[t]);
    if (t == 99 || t == 299) batch.close();
  }
  const std::vector<double> to_go = step_credits(batch, 0.97, Credit::kRewardToGo);
  const std::vector<double> whole = step_credits(batch, 0.97, Credit::kReturn),
                            returns = discounted_returns(batch, 0.97);
  for (Index j = 0; j < batch.size(); ++j) {
    for (Index l = 0; l < batch.length(j); ++l) {
      long double expected = 0.0;
      for (Index t = l; t < batch.length(j); ++t) {
        expected += std::pow(0.97L, static_cast<long double>(t)) * rewards[as_size(batch.begin(j) + t)];
      }
      const auto at = as_size(batch.begin(j) + l);
      // Sums of 200 terms that stay below 10, and factors that were rounded 200 times but are small by then.
      EXPECT_NEAR(to_go[at], static_cast<double>(expected), 1e-13);
      EXPECT_NEAR(whole[at], returns[as_size(j)], 1e-13);
    }
  }
}

TEST(CheckTrajectories, AcceptsWhatFits) {
  EXPECT_NO_THROW(check(small_batch(), 2, 1, 3));
  EXPECT_NO_THROW(check(TrajectoryBatch{.observation_size = 4, .action_size = 2}, 4, 2, 1));
}

TEST(CheckTrajectories, RefusesOtherSizes) {
  expect_throw([] { check(small_batch(), 3, 1, 10); },
               "trajectories have observations of 2 and actions of 1 numbers; expected 3 and 1");
  expect_throw([] { check(small_batch(), 2, 4, 10); },
               "trajectories have observations of 2 and actions of 1 numbers; expected 2 and 4");
}

TEST(CheckTrajectories, RefusesArraysThatDoNotFitTogether) {
  const std::string text = "rewards for 6 steps, or observations or actions of a different length";
  TrajectoryBatch batch = small_batch();
  batch.rewards.pop_back();
  expect_throw([&] { check(batch, 2, 1, 10); }, "trajectories hold 5 " + text);
  batch = small_batch();
  batch.observations.push_back(0.0);
  expect_throw([&] { check(batch, 2, 1, 10); }, "trajectories hold 6 " + text);
  batch = small_batch();
  batch.actions.pop_back();
  expect_throw([&] { check(batch, 2, 1, 10); }, "trajectories hold 6 " + text);
}

TEST(CheckTrajectories, RefusesOffsetsThatDoNotRunForward) {
  const std::string text = "first_step must start at 0 and never decrease";
  for (const std::vector<Index>& bad :
       {std::vector<Index>{}, {1, 3, 4, 6}, {0, 4, 3, 6}, {0, 3, 7, 6}, {0, -1, 4, 6}}) {
    TrajectoryBatch batch = small_batch();
    batch.first_step = bad;
    expect_throw([&] { check(batch, 2, 1, 10); }, text);
  }
}

TEST(CheckTrajectories, RefusesEndingsAndNotesOfSomeTrajectoriesOnly) {
  TrajectoryBatch batch = small_batch();
  batch.endings = {Ending::kTerminated, Ending::kCutOff, Ending::kCutOff};
  EXPECT_NO_THROW(check(batch, 2, 1, 10)) << "final observations may be missing";
  batch.final_observations.resize(6, 0.5);
  batch.notes.resize(6, 0.5);
  EXPECT_NO_THROW(check(batch, 2, 1, 10));
  const std::string text = "endings and final observations must be given for every trajectory or for none";
  TrajectoryBatch partial = batch;
  partial.endings.pop_back();
  expect_throw([&] { check(partial, 2, 1, 10); }, text);
  partial = batch;
  partial.final_observations.pop_back();
  expect_throw([&] { check(partial, 2, 1, 10); }, text);
  partial = small_batch();
  partial.append(batch);  // one half with endings
  expect_throw([&] { check(partial, 2, 1, 10); }, text);
  partial = batch;
  partial.notes.push_back(0.0);
  expect_throw([&] { check(partial, 2, 1, 10); }, "notes must be given for every action or for none");
}

TEST(CheckTrajectories, RefusesEmptyAndOverlongTrajectories) {
  expect_throw([] { check(small_batch(), 2, 1, 2); }, "trajectory 0 has 3 steps; expected 1 to 2");
  TrajectoryBatch batch = small_batch();
  batch.close();  // a fourth trajectory without a step
  expect_throw([&] { check(batch, 2, 1, 10); }, "trajectory 3 has 0 steps; expected 1 to 10");
}

TEST(CheckTrajectories, NamesTrajectoryAndStepOfANumberThatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    TrajectoryBatch batch = small_batch();
    batch.rewards[5] = bad;
    expect_throw([&] { check(batch, 2, 1, 10); }, "trajectory 2, step 1: the reward is ");
    batch = small_batch();
    batch.actions[3] = bad;
    expect_throw([&] { check(batch, 2, 1, 10); }, "trajectory 1, step 0: ");
    batch = small_batch();
    batch.observations[5] = bad;  // the second number of step 2
    expect_throw([&] { check(batch, 2, 1, 10); }, "trajectory 0, step 2: ");
  }
}

}  // namespace
}  // namespace retropg::test
