#include "retropg/statistics/hypothesis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

const std::vector<double> kA = {3.0, 5.0, 4.0, 8.0}, kB = {1.0, 2.0, 1.5};

TEST(Contrast, IsWelchs) {
  const Contrast contrast = welch_contrast(kA, kB);
  EXPECT_DOUBLE_EQ(contrast.difference, 3.5);
  // s^2 = 14/3 and 1/4: s^2 / n = 7/6 and 1/12
  EXPECT_NEAR(contrast.standard_error, std::sqrt(7.0 / 6.0 + 1.0 / 12.0), 1e-12);
  EXPECT_NEAR(contrast.freedom, 1.5625 / (49.0 / 36.0 / 3.0 + 1.0 / 144.0 / 2.0), 1e-12);
  const Interval interval = contrast_interval(contrast, 0.95), old = welch_interval(kA, kB, 0.95);
  EXPECT_EQ(interval.low, old.low);
  EXPECT_EQ(interval.high, old.high);
}

TEST(Contrast, TakesAFactorOfTheReference) {
  const Contrast twice = welch_contrast(kA, kB, 2.0);
  const Contrast same = welch_contrast(kA, std::vector<double>{2.0, 4.0, 3.0});
  EXPECT_DOUBLE_EQ(twice.difference, same.difference);
  EXPECT_NEAR(twice.standard_error, same.standard_error, 1e-12);
  EXPECT_NEAR(twice.freedom, same.freedom, 1e-9);
}

TEST(Contrast, ItsPValuesMatchItsInterval) {
  const Contrast contrast = welch_contrast(kA, kB);
  const Interval interval = contrast_interval(contrast, 0.95);
  EXPECT_NEAR(p_above(contrast, interval.low), 0.025, 1e-9);
  EXPECT_NEAR(p_below(contrast, interval.high), 0.025, 1e-9);
  EXPECT_NEAR(p_above(contrast, 1.0) + p_below(contrast, 1.0), 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(p_above(contrast, contrast.difference), 0.5);
}

TEST(Contrast, OfAMeanIsStudents) {
  const Contrast contrast = mean_contrast(kA, 1.0);
  const MeanEstimate estimate = mean_estimate(kA, 0.95);
  EXPECT_DOUBLE_EQ(contrast.difference, 4.0);
  EXPECT_NEAR(contrast_interval(contrast, 0.95).high, 4.0 + estimate.student_t, 1e-12);
}

TEST(Contrast, WithoutSpreadIsCertainAndWithoutRunsUndecided) {
  const std::vector<double> two = {2.0, 2.0}, one = {1.0, 1.0}, single = {9.0};
  EXPECT_EQ(p_above(welch_contrast(two, one), 0.0), 0.0);
  EXPECT_EQ(p_below(welch_contrast(two, one), 0.0), 1.0);
  EXPECT_EQ(p_above(welch_contrast(single, one), 0.0), 1.0);
  EXPECT_EQ(p_below(mean_contrast(single, 0.0), 100.0), 1.0);
  EXPECT_TRUE(std::isinf(contrast_interval(welch_contrast(single, one), 0.95).high));
}

TEST(Fisher, CountsTables) {
  // 5 of 5 against 0 of 5: one of C(10, 5) = 252 tables
  EXPECT_NEAR(fisher_p(5, 5, 0, 5), 1.0 / 252.0, 1e-12);
  // 4 of 5 against 0 of 5: C(5, 4) C(5, 0) / C(10, 4) = 5 / 210
  EXPECT_NEAR(fisher_p(4, 5, 0, 5), 5.0 / 210.0, 1e-12);
  EXPECT_NEAR(fisher_p(3, 5, 3, 5) + fisher_p(3, 5, 3, 5), 1.0 + 100.0 / 210.0, 1e-12);  // P(X = 3) counts twice
  EXPECT_EQ(fisher_p(0, 5, 3, 5), 1.0);
  expect_throw([] { fisher_p(6, 5, 0, 5); }, "counts");
}

TEST(Holm, AdjustsInOrderOfSize) {
  const std::vector<double> adjusted = holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  EXPECT_NEAR(adjusted[3], 0.02, 1e-12);  // 4 x 0.005
  EXPECT_NEAR(adjusted[0], 0.03, 1e-12);  // 3 x 0.01
  EXPECT_NEAR(adjusted[2], 0.06, 1e-12);  // 2 x 0.03
  EXPECT_NEAR(adjusted[1], 0.06, 1e-12);  // not below the one before
  EXPECT_TRUE(holm_adjusted({}).empty());
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.9, 0.8})[0], 1.0);
}

}  // namespace
}  // namespace retropg::test
