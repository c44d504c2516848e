#include "retropg/statistics/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "retropg/core/error.hpp"

namespace retropg::test {
namespace {

const Curve kThree{.x = {10.0, 20.0, 40.0}, .y = {1.0, 3.0, -1.0}};

TEST(Curve, IsLinearBetweenItsPoints) {
  EXPECT_DOUBLE_EQ(interpolate(kThree, 10.0), 1.0);
  EXPECT_DOUBLE_EQ(interpolate(kThree, 12.5), 1.5);
  EXPECT_DOUBLE_EQ(interpolate(kThree, 20.0), 3.0);
  EXPECT_DOUBLE_EQ(interpolate(kThree, 35.0), 0.0);
}

TEST(Curve, HoldsItsFirstAndLastValueOutside) {
  EXPECT_DOUBLE_EQ(interpolate(kThree, -5.0), 1.0);
  EXPECT_DOUBLE_EQ(interpolate(kThree, 40.0), -1.0);
  EXPECT_DOUBLE_EQ(interpolate(kThree, 1e9), -1.0);
  EXPECT_DOUBLE_EQ(interpolate(Curve{.x = {7.0}, .y = {2.0}}, 3.0), 2.0);
}

TEST(Curve, OnAGridIsTheSameAsPointByPoint) {
  const std::vector<double> grid = {0.0, 10.0, 11.0, 12.0, 20.0, 29.0, 40.0, 41.0};
  const std::vector<double> values = interpolate(kThree, grid);
  ASSERT_EQ(values.size(), grid.size());
  for (std::size_t i = 0; i < grid.size(); ++i) EXPECT_EQ(values[i], interpolate(kThree, grid[i])) << grid[i];
}

TEST(Curve, MustIncreaseAndPairItsPoints) {
  EXPECT_THROW(interpolate(Curve{}, 1.0), Error);
  EXPECT_THROW(interpolate(Curve{.x = {1.0, 2.0}, .y = {1.0}}, 1.0), Error);
  EXPECT_THROW(interpolate(Curve{.x = {2.0, 2.0}, .y = {1.0, 1.0}}, 1.0), Error);
}

TEST(AreaUnderCurve, IsThePlainMeanForEqualBatches) {
  const Curve curve{.x = {5.0, 10.0, 15.0, 20.0}, .y = {1.0, 2.0, 6.0, 100.0}};
  EXPECT_DOUBLE_EQ(area_under_curve(curve, 15.0), 3.0);
  EXPECT_DOUBLE_EQ(area_under_curve(curve, 19.0), 3.0);  // a batch beyond the budget is left out whole
  EXPECT_DOUBLE_EQ(area_under_curve(curve, 1000.0), 27.25);
}

TEST(AreaUnderCurve, CountsEveryTrajectoryOnce) {
  // batches of 10, 10 and 20: (10 * 1 + 10 * 3 + 20 * -1) / 40
  EXPECT_DOUBLE_EQ(area_under_curve(kThree, 40.0), 0.5);
}

TEST(AreaUnderCurve, RefusesABudgetBelowTheFirstBatch) {
  EXPECT_THROW(area_under_curve(kThree, 9.0), Error);
}

TEST(Band, IsTheMeanAndStandardErrorOfEachPoint) {
  const std::vector<Curve> runs = {
      {.x = {1.0, 2.0}, .y = {1.0, 5.0}}, {.x = {1.0, 2.0}, .y = {2.0, 5.0}}, {.x = {1.0, 2.0}, .y = {6.0, 5.0}}};
  const Band result = band(runs);
  EXPECT_EQ(result.runs, 3);
  EXPECT_EQ(result.x, runs[0].x);
  EXPECT_DOUBLE_EQ(result.mean[0], 3.0);
  EXPECT_DOUBLE_EQ(result.standard_error[0], std::sqrt(7.0 / 3.0));  // s^2 = (4 + 1 + 9) / 2 = 7
  EXPECT_DOUBLE_EQ(result.mean[1], 5.0);
  EXPECT_DOUBLE_EQ(result.standard_error[1], 0.0);
}

TEST(Band, PutsOtherGridsOnTheFirstOne) {
  const std::vector<Curve> runs = {{.x = {1.0, 2.0, 3.0}, .y = {0.0, 0.0, 0.0}},
                                   {.x = {0.0, 2.5}, .y = {0.0, 5.0}}};  // y = 2 x, then held at 5
  const Band result = band(runs);
  EXPECT_EQ(result.x, runs[0].x);
  EXPECT_DOUBLE_EQ(result.mean[0], 1.0);
  EXPECT_DOUBLE_EQ(result.mean[1], 2.0);
  EXPECT_DOUBLE_EQ(result.mean[2], 2.5);
}

TEST(Band, OfOneRunHasNoWidth) {
  const std::vector<Curve> runs = {kThree};
  const Band result = band(runs);
  EXPECT_EQ(result.runs, 1);
  EXPECT_EQ(result.mean, kThree.y);
  EXPECT_EQ(result.standard_error, std::vector<double>(3, 0.0));
  EXPECT_THROW(band({}), Error);
}

}  // namespace
}  // namespace retropg::test
