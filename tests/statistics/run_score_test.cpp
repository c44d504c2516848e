#include "retropg/statistics/run_score.hpp"

#include <gtest/gtest.h>

#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

const Curve kSteps = {.x = {10.0, 30.0, 40.0}, .y = {1.0, 2.0, 5.0}};

TEST(StepMean, CountsEveryTrajectoryOnceWithItsBatch) {
  EXPECT_DOUBLE_EQ(step_mean(kSteps, 0.0, 40.0), (10.0 + 40.0 + 50.0) / 40.0);
  EXPECT_DOUBLE_EQ(step_mean(kSteps, 0.0, 40.0), area_under_curve(kSteps, 40.0));
  EXPECT_DOUBLE_EQ(step_mean(kSteps, 5.0, 20.0), (5.0 * 1.0 + 10.0 * 2.0) / 15.0);
  EXPECT_DOUBLE_EQ(step_mean(kSteps, 30.0, 40.0), 5.0);
}

TEST(StepMean, EndsWhereTheCurveEnds) {
  EXPECT_DOUBLE_EQ(step_mean(kSteps, 25.0, 100.0), (5.0 * 2.0 + 10.0 * 5.0) / 15.0);
  EXPECT_DOUBLE_EQ(step_mean(kSteps, 90.0, 100.0), 5.0);
}

TEST(RunningMean, LooksBackAWindowThroughWholeAndCutBatches) {
  const Curve running = running_mean(kSteps, 15.0);
  EXPECT_EQ(running.x, (std::vector<double>{30.0, 40.0}));
  EXPECT_DOUBLE_EQ(running.y[0], 2.0);
  EXPECT_DOUBLE_EQ(running.y[1], (5.0 * 2.0 + 10.0 * 5.0) / 15.0);
  EXPECT_TRUE(running_mean(kSteps, 50.0).x.empty());
  expect_throw([] { running_mean(kSteps, 0.0); }, "window");
}

/// Batches of 50 with these means.
Curve fifties(const std::vector<double>& means) {
  Curve curve;
  for (const double y : means) {
    curve.x.push_back(curve.x.empty() ? 50.0 : curve.x.back() + 50.0);
    curve.y.push_back(y);
  }
  return curve;
}

TEST(RunScore, HasStartEndFallAndWhenTheThresholdWasReached) {
  // Running means of 100 trajectories at 100, 150, ...: 15 25 35 20 15 30.
  const Curve curve = fifties({10.0, 20.0, 30.0, 40.0, 0.0, 30.0, 30.0});
  const RunScore result = score(curve, 350.0, 25.0);
  EXPECT_DOUBLE_EQ(result.area, 160.0 / 7.0);
  EXPECT_DOUBLE_EQ(result.start, 10.0);
  EXPECT_DOUBLE_EQ(result.end, 30.0);
  EXPECT_DOUBLE_EQ(result.fall, 20.0);
  EXPECT_EQ(result.reached, std::optional(150.0));
  EXPECT_EQ(score(curve, 350.0, 35.5).reached, std::nullopt);
  EXPECT_EQ(score(curve, 350.0, std::nullopt).reached, std::nullopt);
}

TEST(RunScore, TheEndIsTheLastTenthWithTheBatchThatIsCut) {
  const Curve curve = {.x = {80.0, 95.0, 100.0}, .y = {1.0, 2.0, 8.0}};  // of (90, 100] five have 2 and five have 8
  EXPECT_DOUBLE_EQ(score(curve, 100.0, std::nullopt).end, 5.0);
}

TEST(RunScore, OfARisingRunHasNoFall) {
  EXPECT_EQ(score(fifties({1.0, 2.0, 3.0, 4.0}), 200.0, std::nullopt).fall, 0.0);
}

TEST(RunScore, OfABudgetShorterThanTheWindowLooksBackTheBudget) {
  const Curve curve = {.x = {4.0, 8.0}, .y = {1.0, 3.0}};
  EXPECT_EQ(score(curve, 8.0, 2.0).reached, std::optional(8.0));
  EXPECT_EQ(score(curve, 8.0, 2.1).reached, std::nullopt);
}

TEST(CommonGrid, EndsAtTheBudgetAndHasAtMostFourHundredPoints) {
  EXPECT_EQ(common_grid(5), (std::vector<double>{1.0, 2.0, 3.0, 4.0, 5.0}));
  EXPECT_EQ(common_grid(1), (std::vector<double>{0.5, 1.0}));
  const std::vector<double> grid = common_grid(10000);
  EXPECT_EQ(grid.size(), 400U);
  EXPECT_EQ(grid.front(), 25.0);
  EXPECT_EQ(grid.back(), 10000.0);
  expect_throw([] { common_grid(0); }, "at least 1");
}

TEST(CommonGrid, CurvesAreLinearBetweenTheirPointsAndHeldOutside) {
  const Curve curve = on_grid({.x = {2.0, 4.0}, .y = {10.0, 30.0}}, common_grid(5));
  EXPECT_EQ(curve.x, common_grid(5));
  EXPECT_EQ(curve.y, (std::vector<double>{10.0, 10.0, 20.0, 30.0, 30.0}));
}

}  // namespace
}  // namespace retropg::test
