#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "retropg/policy/hyperpolicy.hpp"
#include "support/hyper_batch.hpp"

namespace retropg::test {
namespace {

/// log d_order between N(mean, e^{2 change}) and N(0, 1), by the evidence of a hyperpolicy with one learned deviation.
double log_divergence(double order, double mean, double change) {
  const auto policy = hyperpolicy(linear_inner(1), {.variance = {1.0}, .learn_deviation = true});
  const std::vector<double> behavior{0.0, 0.0}, target{mean, change};
  const TrajectoryBatch batch = drawn_batch(*policy, behavior, 1, 1, [](Parameters) { return 1.0; });
  const auto evidence = policy->digest(behavior, batch, 1.0, Credit::kReturn);
  std::vector<double> log_ratio(kChunk), renyi(kChunk);
  evidence->compare(target, order, 0, 1, log_ratio.data(), renyi.data(), nullptr);
  return renyi[0];
}

/// The same in long double, straight from the formula; good where nothing cancels.
long double reference(double order, double mean, double change) {
  const long double a = order, v = 1.0L - (a - 1.0L) * std::expm1(2.0L * change), m = mean;
  return a * (a - 1.0L) / 2.0L * m * m / v - (a - 1.0L) * change - std::log(v) / 2.0L;
}

TEST(HyperDivergence, KeepsItsDigitsWhenTheDeviationShrinks) {
  EXPECT_NEAR(log_divergence(2.0, 0.0, -20.0), 19.653426409720026, 1e-13);
  EXPECT_NEAR(log_divergence(2.0, 0.0, -300.0), 300.0 - 0.5 * std::log(2.0), 1e-12);
}

TEST(HyperDivergence, IsTheFormulaForEveryOrder) {
  for (const double order : {1.1, 1.5, 2.0, 3.0, 7.0}) {
    for (const double change : {-5.0, -1.0, -0.3, -0.06, -0.04, 0.02, 0.05}) {
      for (const double mean : {0.0, 0.7}) {
        const auto expected = static_cast<double>(reference(order, mean, change));
        EXPECT_NEAR(log_divergence(order, mean, change), expected, 3e-14 * std::abs(expected))
            << "order " << order << ", change " << change;
      }
    }
  }
}

TEST(HyperDivergence, IsOfSecondOrderNearTheBehavior) {
  // log d_a = a (a - 1) change^2 + O(change^3) for equal means.
  for (const double order : {1.5, 2.0, 4.0}) {
    for (const double change : {1e-3, -1e-5, 1e-7, -1e-9}) {
      const double leading = order * (order - 1.0) * change * change;
      EXPECT_NEAR(log_divergence(order, 0.0, change) / leading, 1.0, 10.0 * std::abs(change) + 1e-14) << change;
    }
    EXPECT_EQ(log_divergence(order, 0.0, 0.0), 0.0);
  }
}

TEST(HyperDivergence, IsInfiniteWhereTheExpectationIs) {
  EXPECT_EQ(log_divergence(2.0, 0.0, 0.5 * std::log(2.0)), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(log_divergence(2.0, 0.0, 0.49 * std::log(2.0))));
  EXPECT_EQ(log_divergence(3.0, 0.0, 0.49 * std::log(2.0)), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace retropg::test
