#include "retropg/statistics/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "retropg/core/random.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

using Tasks = std::vector<std::vector<double>>;

std::vector<double> normals(std::uint32_t name, int count, double mean) {
  RandomStream random({.seed = 5, .purpose = Purpose::kReset, .iteration = name});
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(mean + random.normal());
  return values;
}

TEST(InterquartileMean, IsTheMeanOfTheMiddleHalf) {
  const std::vector<double> eight = {8.0, 1.0, 100.0, 4.0, 2.0, 3.0, -50.0, 5.0};  // -50 1 | 2 3 4 5 | 8 100
  EXPECT_DOUBLE_EQ(interquartile_mean(eight), 3.5);
}

TEST(InterquartileMean, CountsTheValuesAtTheEdgesInPart) {
  const std::vector<double> five = {1.0, 2.0, 3.0, 4.0, 100.0};  // [1.25, 3.75] of [0, 5]: 0.75, 1, 0.75 of 2, 3, 4
  EXPECT_DOUBLE_EQ(interquartile_mean(five), (0.75 * 2.0 + 3.0 + 0.75 * 4.0) / 2.5);
  const std::vector<double> ten = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 90.0};  // [2.5, 7.5]: half of 2 and 7
  EXPECT_DOUBLE_EQ(interquartile_mean(ten), (1.0 + 3.0 + 4.0 + 5.0 + 6.0 + 3.5) / 5.0);
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector<double>{1.0, 2.0, 6.0}), (0.25 * 1.0 + 2.0 + 0.25 * 6.0) / 1.5);
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector<double>{1.0, 4.0}), 2.5);
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector<double>{7.0}), 7.0);
}

TEST(InterquartileMean, RefusesNothing) {
  expect_throw([] { interquartile_mean({}); }, "needs at least one value");
}

TEST(InterquartileMean, OfSeveralTasksPoolsTheirRuns) {
  const Tasks tasks = {{8.0, 1.0, 100.0, 4.0}, {2.0, 3.0, -50.0, 5.0}};
  EXPECT_DOUBLE_EQ(aggregate_interquartile_mean(tasks), 3.5);
  const Tasks one = {tasks[0]};
  EXPECT_DOUBLE_EQ(aggregate_interquartile_mean(one), interquartile_mean(tasks[0]));
  expect_throw([] { aggregate_interquartile_mean(Tasks{{1.0}, {}}); }, "at least one score");
}

TEST(NormalizedScores, AreZeroAndOneAtTheReferences) {
  const std::vector<double> values = {-10.0, 30.0, 10.0, 50.0, -20.0};
  EXPECT_EQ(normalized(values, -10.0, 30.0), (std::vector<double>{0.0, 1.0, 0.5, 1.5, -0.25}));
  // Whoever is above whom stays so.
  const Tasks x = {{1.0, 5.0, 9.0}}, y = {{2.0, 5.0}};
  const Tasks nx = {normalized(x[0], -3.0, 11.0)}, ny = {normalized(y[0], -3.0, 11.0)};
  EXPECT_EQ(probability_of_improvement(nx, ny), probability_of_improvement(x, y));
  EXPECT_NEAR(interquartile_mean(nx[0]), (interquartile_mean(x[0]) + 3.0) / 14.0, 1e-15);
  for (const double one : {1.0, 0.5}) {
    expect_throw([&] { normalized(values, 1.0, one); }, "a lower and a higher reference");
  }
}

TEST(ProbabilityOfImprovement, CountsPairsAndHalvesTies) {
  const Tasks x = {{1.0, 2.0, 3.0}}, y = {{2.0, 0.0}};  // x > y: 1>0 2>0 3>2 3>0, tie 2=2
  EXPECT_DOUBLE_EQ(probability_of_improvement(x, y), 4.5 / 6.0);
  EXPECT_DOUBLE_EQ(probability_of_improvement(y, x), 1.5 / 6.0);
  EXPECT_DOUBLE_EQ(probability_of_improvement(x, x), 0.5);
  const Tasks same = {{4.0, 4.0}};
  EXPECT_DOUBLE_EQ(probability_of_improvement(same, same), 0.5);
}

TEST(ProbabilityOfImprovement, IsTheMeanOverTasks) {
  const Tasks x = {{1.0, 2.0, 3.0}, {10.0}}, y = {{2.0, 0.0}, {20.0, 30.0}};
  EXPECT_DOUBLE_EQ(probability_of_improvement(x, y), 0.5 * (4.5 / 6.0 + 0.0));
}

TEST(ProbabilityOfImprovement, RefusesDifferentTasksAndMissingScores) {
  const Tasks one = {{1.0}}, two = {{1.0}, {2.0}}, empty = {{}}, broken = {{NAN}};
  expect_throw([&] { probability_of_improvement(one, two); }, "same tasks");
  expect_throw([&] { probability_of_improvement(one, empty); }, "at least one score");
  expect_throw([&] { probability_of_improvement(broken, one); }, "finite");
}

TEST(Bootstrap, RepeatsWithItsSeedAndChangesWithSeedAndAlgorithm) {
  const Tasks x = {normals(1, 10, 0.0)};
  const Interval first = interquartile_mean_interval(x, 3, {.seed = 1}), again = interquartile_mean_interval(x, 3, {});
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_NE(interquartile_mean_interval(x, 3, {.seed = 2}).low, first.low);
  EXPECT_NE(interquartile_mean_interval(x, 4, {.seed = 1}).low, first.low);
}

TEST(Bootstrap, DrawsEveryTasksRunsFromThatTask) {
  // Constant tasks: a resample that kept to its strata is the data again, whatever it drew.
  const Tasks x = {{1.0, 1.0, 1.0, 1.0}, {5.0, 5.0, 5.0, 5.0}};
  const Interval interval = interquartile_mean_interval(x, 0, {});
  EXPECT_DOUBLE_EQ(interval.low, 3.0);
  EXPECT_DOUBLE_EQ(interval.high, 3.0);
  const Tasks y = {{0.0, 0.0}, {6.0, 6.0}};
  const Interval improvement = improvement_interval(x, 0, y, 1, {});
  EXPECT_DOUBLE_EQ(improvement.low, 0.5);
  EXPECT_DOUBLE_EQ(improvement.high, 0.5);
}

TEST(Bootstrap, TheIntervalTheOtherWayRoundIsOneMinusIt) {
  const Tasks x = {normals(1, 12, 0.5)}, y = {normals(2, 9, 0.0)};
  const Interval there = improvement_interval(x, 4, y, 7, {}), back = improvement_interval(y, 7, x, 4, {});
  EXPECT_NEAR(there.low, 1.0 - back.high, 1e-12);
  EXPECT_NEAR(there.high, 1.0 - back.low, 1e-12);
  EXPECT_LT(there.low, probability_of_improvement(x, y));
  EXPECT_GT(there.high, probability_of_improvement(x, y));
}

TEST(Bootstrap, OfTheInterquartileMeanIsAboutAsWideAsItsSpread) {
  // The spread of the interquartile mean over 400 samples of 40 normals, against the mean width of the intervals of the
  // first 20 of them. 2 x 1.96 x 0.17 = 0.67; the spread is known to 3.5 %, the mean width to about 5 %.
  std::vector<double> means, widths;
  for (std::uint32_t trial = 0; trial < 400; ++trial) {
    const Tasks x = {normals(100 + trial, 40, 0.0)};
    means.push_back(interquartile_mean(x[0]));
    if (trial >= 20) continue;
    const Interval interval = interquartile_mean_interval(x, 0, {.resamples = 1000});
    widths.push_back(interval.high - interval.low);
  }
  double square = 0.0, width = 0.0;
  for (const double value : means) square += value * value / 400.0;
  for (const double value : widths) width += value / 20.0;
  EXPECT_NEAR(width / (2.0 * 1.96 * std::sqrt(square)), 1.0, 0.25);
}

}  // namespace
}  // namespace retropg::test
