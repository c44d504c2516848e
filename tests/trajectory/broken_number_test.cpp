#include "retropg/trajectory/broken_number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Trajectories of 3, 1 and 2 steps with two observations, one action and final observations.
TrajectoryBatch small_batch() {
  TrajectoryBatch batch{.observation_size = 2, .action_size = 1};
  for (const int length : {3, 1, 2}) {
    for (int t = 0; t < length; ++t) batch.add(std::vector{0.1, 0.2}, std::vector{0.3}, 0.4);
    batch.close(Ending::kCutOff, std::vector{0.5, 0.6});
  }
  return batch;
}

TEST(BrokenNumber, IsTheFirstInTheOrderOfTrajectoriesAndSteps) {
  TrajectoryBatch batch = small_batch();
  EXPECT_FALSE(first_broken_number(batch).has_value());
  const auto expect_place = [&](Index trajectory, Index step, const std::string& what) {
    const std::optional<BrokenNumber> broken = first_broken_number(batch);
    ASSERT_TRUE(broken.has_value());
    EXPECT_EQ(broken->trajectory, trajectory);
    EXPECT_EQ(broken->step, step);
    EXPECT_EQ(broken->what, what);
  };
  batch.final_observations[4] = kNan;
  expect_place(2, 2, "number 0 of the final observation is nan");
  batch.observations[11] = kNan;  // the last number of the last step
  expect_place(2, 1, "number 1 of the observation is nan");
  batch.rewards[3] = kInfinity;
  expect_place(1, 0, "the reward is inf");
  batch.actions[2] = -kInfinity;
  expect_place(0, 2, "the action is -inf");
  batch.rewards[1] = -1.7e308;
  expect_place(0, 1, "the reward is -1.7e+308; its absolute value must not exceed 1e+100");
  EXPECT_FALSE(broken_number(small_batch(), 1).has_value());
  EXPECT_EQ(broken_number(batch, 1)->what, "the reward is inf");
}

TEST(BrokenNumber, IsAnyAboveTheLimit) {
  const double above = std::nextafter(kLargestNumber, kInfinity);
  for (const double sign : {1.0, -1.0}) {
    for (std::vector<double> TrajectoryBatch::*numbers :
         {&TrajectoryBatch::observations, &TrajectoryBatch::actions, &TrajectoryBatch::rewards,
          &TrajectoryBatch::final_observations}) {
      TrajectoryBatch batch = small_batch();
      (batch.*numbers)[1] = sign * kLargestNumber;
      EXPECT_FALSE(first_broken_number(batch).has_value());
      (batch.*numbers)[1] = sign * above;
      ASSERT_TRUE(first_broken_number(batch).has_value());
      EXPECT_EQ(first_broken_number(batch)->trajectory, 0);
    }
  }
}

TEST(BrokenNumber, LimitLeavesRoomForSumsOfProducts) {
  const double product = kLargestNumber * kLargestNumber * kLargestNumber;
  EXPECT_TRUE(std::isfinite(product * 1e4 * 1e4 / 2.0)) << "rewards-to-go of ten thousand steps";
}

TEST(TrajectoryBatch, TakesOverSomeTrajectoriesOfAnother) {
  TrajectoryBatch all = small_batch();
  for (std::size_t i = 0; i < all.rewards.size(); ++i) all.rewards[i] = static_cast<double>(i);
  all.sampled = {1.0, 2.0, 3.0};
  TrajectoryBatch part{.observation_size = 2, .action_size = 1};
  part.append(all, 2, 3);
  part.append(all, 0, 1);
  EXPECT_EQ(part.first_step, (std::vector<Index>{0, 2, 5}));
  EXPECT_EQ(part.rewards, (std::vector{4.0, 5.0, 0.0, 1.0, 2.0}));
  EXPECT_EQ(part.sampled, (std::vector{3.0, 1.0}));
  EXPECT_EQ(part.final_observations.size(), 4u);
  EXPECT_EQ(part.endings.size(), 2u);
  EXPECT_NO_THROW(check(part, 2, 1, 3));
}

TEST(TrajectoryBatch, IsCutInItsLastTrajectory) {
  TrajectoryBatch batch = small_batch();
  batch.cut_last(2);
  EXPECT_EQ(batch.steps(), 6) << "nothing to cut";
  EXPECT_EQ(batch.endings.size(), 3u);
  batch.cut_last(1);
  EXPECT_EQ(batch.first_step, (std::vector<Index>{0, 3, 4, 5}));
  EXPECT_EQ(batch.observations.size(), 10u);
  EXPECT_EQ(batch.actions.size(), 5u);
  EXPECT_EQ(batch.rewards.size(), 5u);
  EXPECT_EQ(batch.endings.size(), 2u);
  EXPECT_EQ(batch.final_observations.size(), 4u);
}

}  // namespace
}  // namespace retropg::test
