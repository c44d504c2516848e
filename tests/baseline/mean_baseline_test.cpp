#include "retropg/baseline/baseline.hpp"

#include <gtest/gtest.h>

#include "support/baseline_credits.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

/// One trajectory for each list of rewards; observations and actions are made up.
TrajectoryBatch rewarded(const std::vector<std::vector<double>>& rewards, std::uint64_t seed = 1) {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap});
  for (const std::vector<double>& one : rewards) {
    for (const double reward : one) batch.add(std::vector{random.normal()}, std::vector{random.normal()}, reward);
    batch.close();
  }
  return batch;
}

// Discounted by 1/2 these give 2 | 1, 2, 2 | 3, 1, so that D_l is 2 | 5, 4, 2 | 4, 1.
const std::vector<std::vector<double>> kRewards = {{2.0}, {1.0, 4.0, 8.0}, {3.0, 2.0}};

TEST(MeanBaseline, TakesOffTheMeanOfAllTrajectoriesAlsoForTimesAfterTheEnd) {
  // b_t = 2, 1, 2/3, 0: the first trajectory ends after one step and still has 2 + 1 + 2/3 taken off.
  const auto baseline = mean_baseline(kOptions);
  const double b0 = 11.0 / 3.0, b1 = 5.0 / 3.0, b2 = 2.0 / 3.0;
  expect_near(baseline->credits(kNone, rewarded(kRewards), Credit::kRewardToGo),
              {2.0 - b0, 5.0 - b0, 4.0 - b1, 2.0 - b2, 4.0 - b0, 1.0 - b1});
  expect_near(baseline->credits(kNone, rewarded(kRewards), Credit::kReturn),
              {2.0 - b0, 5.0 - b0, 5.0 - b0, 5.0 - b0, 4.0 - b0, 4.0 - b0});
}

TEST(LeaveOneOutBaseline, TakesOffTheMeanOfTheOtherTrajectories) {
  const auto baseline = leave_one_out_baseline(kOptions);
  expect_near(baseline->credits(kNone, rewarded(kRewards), Credit::kRewardToGo),
              {2.0 - 4.5, 5.0 - 3.0, 4.0 - 0.5, 2.0 - 0.0, 4.0 - 3.5, 1.0 - 2.0});
  expect_near(baseline->credits(kNone, rewarded(kRewards), Credit::kReturn),
              {2.0 - 4.5, 5.0 - 3.0, 5.0 - 3.0, 5.0 - 3.0, 4.0 - 3.5, 4.0 - 3.5});
}

TEST(LeaveOneOutBaseline, LeavesABatchOfOneAlone) {
  const auto batch = rewarded({{1.0, 4.0, 8.0}});
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    EXPECT_EQ(leave_one_out_baseline(kOptions)->credits(kNone, batch, credit), step_credits(batch, 0.5, credit));
    EXPECT_EQ(mean_baseline(kOptions)->credits(kNone, batch, credit), step_credits(batch, 0.5, credit))
        << "its own mean would leave nothing";
  }
}

TEST(MeanBaseline, IsLeaveOneOutTimesOneMinusOneOverN) {
  const LinearGaussianOptions policy{.observation_size = 2, .action_size = 1};
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    for (const Index size : {2, 5, 11}) {
      const TrajectoryBatch batch = random_batch(policy, std::vector{0.1, 0.2}, size, 9, 3);
      const BaselineOptions options{.horizon = 10, .discount = 0.9};
      std::vector<double> expected = leave_one_out_baseline(options)->credits(kNone, batch, credit);
      for (double& x : expected) x *= 1.0 - 1.0 / static_cast<double>(size);
      expect_near(mean_baseline(options)->credits(kNone, batch, credit), expected, 1e-13);
    }
  }
}

TEST(RunningMeanBaseline, AveragesEarlierBatchesByTheSumOfTheirWeights) {
  const auto baseline = running_mean_baseline(kOptions, 0.25);
  const TrajectoryBatch first = rewarded(kRewards), second = rewarded({{4.0, 8.0}}), third = rewarded({{1.0}});
  EXPECT_EQ(baseline->credits(kNone, first, Credit::kRewardToGo), step_credits(first, 0.5, Credit::kRewardToGo))
      << "the first batch has no earlier one";
  // The means of D_l: 11/3, 5/3, 2/3, 0 of the first batch, 8, 4 of the second.
  expect_near(baseline->credits(kNone, second, Credit::kRewardToGo), {8.0 - 11.0 / 3.0, 4.0 - 5.0 / 3.0});
  const double older = 0.75 * 0.25, newer = 0.25;
  expect_near(baseline->credits(kNone, third, Credit::kRewardToGo),
              {1.0 - (older * 11.0 / 3.0 + newer * 8.0) / (older + newer)});
}

TEST(RunningMeanBaseline, WithARateOfOneIsTheMeanOfTheLastBatch) {
  const auto baseline = running_mean_baseline(kOptions, 1.0);
  baseline->credits(kNone, rewarded({{7.0, 7.0}}), Credit::kReturn);
  baseline->credits(kNone, rewarded(kRewards), Credit::kReturn);
  expect_near(baseline->credits(kNone, rewarded({{4.0, 8.0}}), Credit::kRewardToGo),
              {8.0 - 11.0 / 3.0, 4.0 - 5.0 / 3.0});
  expect_near(baseline->credits(kNone, rewarded({{4.0, 8.0}}), Credit::kReturn), {0.0, 0.0});
}

}  // namespace
}  // namespace retropg::test
