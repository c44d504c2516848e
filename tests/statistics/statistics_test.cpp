#include "retropg/statistics/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/random.hpp"

namespace retropg::test {
namespace {

TEST(Quantiles, AreTheTabulatedOnes) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 5e-7);
  EXPECT_NEAR(normal_quantile(0.9875), 2.241403, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 9.0), 2.262157, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 4.0), 2.776445, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.9875, 9.0), 2.685011, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 1.0), 12.706205, 5e-7);
  EXPECT_DOUBLE_EQ(normal_quantile(0.5), 0.0);
}

TEST(Quantiles, RefuseImpossibleArguments) {
  EXPECT_THROW(normal_quantile(1.0), Error);
  EXPECT_THROW(student_t_quantile(0.0, 3.0), Error);
  EXPECT_THROW(student_t_quantile(0.9, 0.0), Error);
}

TEST(MeanInterval, IsTheMeanAndTStandardErrorsOnEachSide) {
  const std::vector<double> values = {1.0, 2.0, 3.0, 4.0, 5.0};  // mean 3, s^2 = 2.5, standard error sqrt(0.5)
  const Interval interval = mean_interval(values, 0.95);
  EXPECT_NEAR(interval.low, 3.0 - 2.7764451 * std::sqrt(0.5), 1e-7);
  EXPECT_NEAR(interval.high, 3.0 + 2.7764451 * std::sqrt(0.5), 1e-7);
}

TEST(MeanInterval, OfOneValueIsTheWholeLine) {
  const std::vector<double> one = {3.0};
  EXPECT_EQ(mean_interval(one, 0.95).low, -INFINITY);
  EXPECT_EQ(mean_interval(one, 0.95).high, INFINITY);
}

TEST(MeanInterval, CoversTheMeanAsOftenAsItClaims) {
  constexpr int kTrials = 4000;
  int covered = 0;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    RandomStream random({.seed = 11, .purpose = Purpose::kBootstrap, .iteration = trial, .trajectory = 0});
    std::vector<double> values;
    for (int i = 0; i < 5; ++i) values.push_back(random.normal());
    const Interval interval = mean_interval(values, 0.95);
    covered += interval.low <= 0.0 && 0.0 <= interval.high;
  }
  // 4.5 standard errors: a sound interval fails here once in 150,000 seeds; a normal one (88 %) always
  EXPECT_NEAR(covered / static_cast<double>(kTrials), 0.95, 4.5 * std::sqrt(0.95 * 0.05 / kTrials));
}

TEST(MeanEstimate, HasNormalAndStudentHalfWidths) {
  const std::vector<double> values = {1.0, 2.0, 3.0, 4.0, 5.0};  // s^2 = 2.5, standard error sqrt(0.5)
  const MeanEstimate estimate = mean_estimate(values, 0.95);
  EXPECT_DOUBLE_EQ(estimate.mean, 3.0);
  EXPECT_DOUBLE_EQ(estimate.standard_error, std::sqrt(0.5));
  EXPECT_NEAR(estimate.normal, 1.9599640 * std::sqrt(0.5), 1e-7);
  EXPECT_NEAR(estimate.student_t, 2.7764451 * std::sqrt(0.5), 1e-7);
  EXPECT_EQ(mean_estimate(std::vector<double>{3.0}, 0.95).student_t, INFINITY);
  EXPECT_THROW(mean_estimate({}, 0.95), Error);
}

TEST(PercentileInterval, InterpolatesBetweenOrderStatistics) {
  std::vector<double> samples;
  for (int i = 100; i >= 0; --i) samples.push_back(i);  // 0 ... 100, in any order
  const Interval interval = percentile_interval(samples, 0.95);
  EXPECT_NEAR(interval.low, 2.5, 1e-9);
  EXPECT_NEAR(interval.high, 97.5, 1e-9);
}

TEST(PercentileInterval, OfOneSampleIsThatSample) {
  const Interval interval = percentile_interval({4.0}, 0.9);
  EXPECT_EQ(interval.low, 4.0);
  EXPECT_EQ(interval.high, 4.0);
  EXPECT_THROW(percentile_interval({}, 0.9), Error);
  EXPECT_THROW(percentile_interval({1.0, NAN}, 0.9), Error);
}

TEST(WelchInterval, IsTheOneByHand) {
  // means 2 and 6, variances of the means 1/3 and 20/3/4 = 5/3, so v = 2,
  // nu = 4 / ((1/9) / 2 + (25/9) / 3) = 4 / (53/54) = 216/53 = 4.0754717
  const std::vector<double> a = {1.0, 2.0, 3.0}, b = {3.0, 5.0, 7.0, 9.0};
  const Interval interval = welch_interval(a, b, 0.95);
  const double half = student_t_quantile(0.975, 216.0 / 53.0) * std::sqrt(2.0);
  EXPECT_NEAR(interval.low, -4.0 - half, 1e-12);
  EXPECT_NEAR(interval.high, -4.0 + half, 1e-12);
  EXPECT_LT(half, 2.776445 * std::sqrt(2.0));  // 4 degrees of freedom
  EXPECT_GT(half, 2.570582 * std::sqrt(2.0));  // 5
}

TEST(WelchInterval, IsStudentsForEqualSpreadAndSize) {
  const std::vector<double> a = {1.0, 2.0, 3.0, 4.0}, b = {11.0, 12.0, 13.0, 14.0};
  const double half = student_t_quantile(0.975, 6.0) * std::sqrt(2.0 * (5.0 / 3.0) / 4.0);
  EXPECT_NEAR(welch_interval(a, b, 0.95).high, -10.0 + half, 1e-12);
}

TEST(WelchInterval, KnowsConstantsAndSingleValues) {
  const std::vector<double> twos = {2.0, 2.0}, fives = {5.0, 5.0, 5.0}, one = {5.0};
  EXPECT_EQ(welch_interval(twos, fives, 0.95).low, -3.0);
  EXPECT_EQ(welch_interval(twos, fives, 0.95).high, -3.0);
  EXPECT_EQ(welch_interval(twos, one, 0.95).high, INFINITY);
}

}  // namespace
}  // namespace retropg::test
