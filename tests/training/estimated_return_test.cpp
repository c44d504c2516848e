#include "retropg/training/estimated_return.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "retropg/statistics/statistics.hpp"

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const ReturnRange kCartPole{.smallest = 1.0, .largest = 200.0};

ReturnEstimate of(double mean, double variance, double effective) {
  return {.mean = mean, .variance = variance, .effective = effective, .trajectories = 32};
}

EstimatedReturn interval(const ReturnEstimate& estimate, const ReturnRange& range, const Spread& spread = {},
                         double choices = 1.0, double excess = 0.0) {
  return estimated_return(with_error(estimate, range, spread), range, choices, excess);
}

TEST(EstimatedReturn, HasStudentsIntervalWithTheFreedomOfExponentialReturns) {
  // s^2 = 48 * 13 / 12 = 52, error = sqrt(52 / 13) = 2, freedom = 2 + (12 - 2) / 4
  const EstimatedReturn estimate = interval(of(10.0, 48.0, 13.0), {});
  const double t = student_t_quantile(0.975, 4.5);
  EXPECT_GT(t, 2.6);
  EXPECT_EQ(estimate.mean, 10.0);
  EXPECT_NEAR(estimate.low, 10.0 - 2.0 * t, 1e-9);
  EXPECT_NEAR(estimate.high, 10.0 + 2.0 * t, 1e-9);
  EXPECT_EQ(estimate.freedom, 4.5);
  EXPECT_EQ(estimate.effective, 13.0);
  EXPECT_EQ(estimate.trajectories, 32);
}

TEST(EstimatedReturn, HasStudentsOwnFreedomWithTwoOrThreeReturns) {
  EXPECT_EQ(interval(of(10.0, 48.0, 2.0), {}).freedom, 1.0);
  EXPECT_EQ(interval(of(10.0, 48.0, 3.0), {}).freedom, 2.0);
  EXPECT_NEAR(interval(of(0.0, 0.5, 2.0), {}).high, 12.7062 * std::sqrt(0.5), 1e-4);
}

TEST(EstimatedReturn, TakesTheSpreadOfItsNeighborsIfItsOwnIsSmaller) {
  const Spread neighbors{.variance = 52.0, .freedom = 12.0};
  const EstimatedReturn lucky = interval(of(10.0, 0.01, 13.0), {}, neighbors);
  EXPECT_EQ(lucky.low, interval(of(10.0, 48.0, 13.0), {}).low);
  const EstimatedReturn wild = interval(of(10.0, 4800.0, 13.0), {}, neighbors);
  EXPECT_EQ(wild.low, interval(of(10.0, 4800.0, 13.0), {}).low);
  EXPECT_EQ(interval(of(10.0, 0.0, 1.0), {}, neighbors).freedom, 4.5) << "a single one has no spread of its own";
}

TEST(EstimatedReturn, IsNeverCertainBecauseAllReturnsAreAtABound) {
  double width = kInfinity;
  for (const double effective : {2.0, 10.0, 100.0, 1000.0}) {
    ReturnEstimate all = of(200.0, 0.0, effective);
    all.smallest = all.largest = 200.0;
    all.at_smallest = all.at_largest = 1.0;
    const EstimatedReturn estimate = interval(all, kCartPole);
    EXPECT_EQ(estimate.high, 200.0) << "no more than the bound";
    EXPECT_LT(estimate.low, 200.0);
    EXPECT_LT(estimate.high - estimate.low, width);
    width = estimate.high - estimate.low;
    const double error = std::sqrt(0.1 / effective * 199.0 * 199.0 / effective);
    EXPECT_NEAR(estimate.low, std::max(1.0, 200.0 - error * student_t_quantile(0.975, estimate.freedom)), 1e-9);
    const ReturnRange above{.smallest = {}, .largest = 200.0};
    EXPECT_EQ(interval(all, above).low, 200.0) << "how low others could be is not known";
  }
}

TEST(EstimatedReturn, AllowsForTheOtherBoundOnlyWhereReturnsAreAtOne) {
  ReturnEstimate low = of(9.0, 4.0, 10.0), half = of(150.0, 4.0, 10.0), none = half;
  low.smallest = 8.0;
  low.largest = 11.0;
  EXPECT_EQ(interval(low, kCartPole).high, interval(low, {}).high);
  half.largest = 200.0 * (1.0 - 1e-13);
  half.at_largest = 0.5;
  EXPECT_LT(interval(half, kCartPole).low, interval(none, kCartPole).low - 10.0);
}

TEST(EstimatedReturn, SaysNothingIfItDoesNotKnowTheSpread) {
  for (const double effective : {0.0, 0.5, 1.0, 1.99}) {
    const EstimatedReturn bounded = interval(of(50.0, 1.0, effective), kCartPole);
    EXPECT_FALSE(bounded.known());
    EXPECT_EQ(bounded.low, 1.0);
    EXPECT_EQ(bounded.high, 200.0);
    const EstimatedReturn unbounded = interval(of(50.0, 1.0, effective), {});
    EXPECT_EQ(unbounded.low, -kInfinity);
    EXPECT_EQ(unbounded.high, kInfinity);
  }
  EXPECT_FALSE(interval(of(50.0, 1.0, 0.0), {}, {.variance = 4.0, .freedom = 20.0}).known());
  EXPECT_TRUE(interval(of(50.0, 1.0, 2.0), {}).known());
}

TEST(EstimatedReturn, ThatWasChosenIsLowerAtItsLowerEndOnly) {
  const ReturnEstimate estimate = of(10.0, 48.0, 13.0);
  const EstimatedReturn alone = interval(estimate, {}), chosen = interval(estimate, {}, {}, 100.0);
  EXPECT_NEAR(chosen.low, 10.0 + 2.0 * student_t_quantile(0.025 / 100.0, 4.5), 1e-9);
  EXPECT_LT(chosen.low, alone.low);
  EXPECT_EQ(chosen.high, alone.high);
  EXPECT_EQ(interval(estimate, {}, {}, 0.5).low, alone.low);
}

TEST(EstimatedReturn, ReachesFurtherWhereEarlierOnesWereOff) {
  const ReturnEstimate estimate = of(10.0, 48.0, 13.0);
  const EstimatedReturn right = interval(estimate, {}), too_high = interval(estimate, {}, {}, 1.0, 3.0),
                        too_low = interval(estimate, {}, {}, 1.0, -3.0);
  EXPECT_EQ(too_high.low, right.low - 3.0);
  EXPECT_EQ(too_high.high, right.high);
  EXPECT_EQ(too_low.low, right.low);
  EXPECT_EQ(too_low.high, right.high + 3.0);
  EXPECT_EQ(too_low.mean, right.mean);
}

}  // namespace
}  // namespace retropg::test
