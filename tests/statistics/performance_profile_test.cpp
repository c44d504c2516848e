#include "retropg/statistics/performance_profile.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "retropg/core/random.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

using Tasks = std::vector<std::vector<double>>;

Tasks random_tasks() {
  RandomStream random({.seed = 9});
  Tasks tasks(3);
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    for (std::size_t run = 0; run < 5 + 2 * task; ++run) tasks[task].push_back(random.uniform(-0.2, 1.1));
  }
  return tasks;
}

TEST(PerformanceProfile, IsTheFractionOfRunsAboveAveragedOverTasks) {
  const Tasks tasks = {{0.1, 0.5, 0.5, 0.9}, {0.5, 2.0}};
  const std::vector<double> thresholds = {-1.0, 0.1, 0.3, 0.5, 0.9, 2.0};
  const PerformanceProfile profile = performance_profile(tasks, thresholds, 0, {});
  EXPECT_EQ(profile.threshold, thresholds);
  const std::vector<double> expected = {
      1.0, 0.5 * (0.75 + 1.0), 0.5 * (0.75 + 1.0), 0.5 * (0.25 + 0.5), 0.5 * (0.0 + 0.5), 0.0};
  ASSERT_EQ(profile.fraction.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_DOUBLE_EQ(profile.fraction[k], expected[k]) << k;
}

TEST(PerformanceProfile, FallsAndItsBandIsAroundIt) {
  const Tasks tasks = random_tasks();
  std::vector<double> thresholds;
  for (int k = -30; k <= 130; ++k) thresholds.push_back(0.01 * k);
  const PerformanceProfile profile = performance_profile(tasks, thresholds, 2, {.resamples = 500});
  EXPECT_EQ(profile.fraction.front(), 1.0) << "thirds and sevenths add up to 1";
  EXPECT_EQ(profile.fraction.back(), 0.0);
  for (std::size_t k = 0; k < thresholds.size(); ++k) {
    EXPECT_LE(profile.fraction[k], profile.fraction[k == 0 ? 0 : k - 1]);
    EXPECT_LE(profile.band[k].low, profile.fraction[k] + 1e-12);
    EXPECT_GE(profile.band[k].high, profile.fraction[k] - 1e-12);
    EXPECT_GE(profile.band[k].low, 0.0);
    EXPECT_LE(profile.band[k].high, 1.0);
  }
  EXPECT_EQ(profile.band.front().low, 1.0) << "no resample has a run below all thresholds";
  EXPECT_EQ(profile.band.back().high, 0.0);
}

TEST(PerformanceProfile, HasTheMeanScoreAsItsArea) {
  // The integral of P(X > t) over t from 0 to 1 is the mean of X within [0, 1].
  const Tasks tasks = {{0.2, 0.4, 0.95}, {0.0, 1.0, 0.5}};
  std::vector<double> thresholds;
  for (int k = 0; k < 10000; ++k) thresholds.push_back(1e-4 * (k + 0.5));
  const PerformanceProfile profile = performance_profile(tasks, thresholds, 0, {.resamples = 2});
  double area = 0.0;
  for (const double fraction : profile.fraction) area += 1e-4 * fraction;
  EXPECT_NEAR(area, (0.2 + 0.4 + 0.95 + 0.0 + 1.0 + 0.5) / 6.0, 1e-9);
}

TEST(PerformanceProfile, BandKeepsToTheStrataAndHasTheSpreadOfABinomial) {
  // One task is certain; of the other a resample has binomially many of 100 runs above, half of them on average.
  Tasks tasks = {{1.0, 1.0}, {}};
  for (int i = 0; i < 100; ++i) tasks[1].push_back(i % 2);
  const std::vector<double> thresholds = {0.5};
  const PerformanceProfile profile = performance_profile(tasks, thresholds, 0, {});
  EXPECT_DOUBLE_EQ(profile.fraction[0], 0.75);
  EXPECT_NEAR(profile.band[0].low, 0.75 - 0.5 * 1.96 * 0.05, 0.011);
  EXPECT_NEAR(profile.band[0].high, 0.75 + 0.5 * 1.96 * 0.05, 0.011);
}

TEST(PerformanceProfile, RepeatsWithItsSeedAndRefusesThresholdsOutOfOrder) {
  const Tasks tasks = random_tasks();
  const std::vector<double> thresholds = {0.25, 0.5};
  const auto low = [&](Index algorithm, std::uint64_t seed) {
    return performance_profile(tasks, thresholds, algorithm, {.seed = seed, .resamples = 101}).band[1].low;
  };
  EXPECT_EQ(low(1, 1), low(1, 1));
  expect_throw([&] { performance_profile(tasks, std::vector{0.5, 0.5}, 0, {}); }, "must strictly increase");
  expect_throw([&] { performance_profile(Tasks{{NAN}}, thresholds, 0, {}); }, "finite");
}

}  // namespace
}  // namespace retropg::test
