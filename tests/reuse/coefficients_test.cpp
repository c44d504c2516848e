#include "retropg/reuse/coefficients.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "retropg/core/numerics.hpp"
#include "retropg/core/random.hpp"

namespace retropg::test {
namespace {

std::vector<double> exponentials(std::vector<double> logs) {
  for (double& x : logs) x = std::exp(x);
  return logs;
}

std::vector<double> logarithms(std::vector<double> values) {
  for (double& x : values) x = std::log(x);
  return values;
}

struct Shares {
  std::vector<double> alpha, lambda;
};

Shares shares(const CoefficientOptions& options, const std::vector<Index>& sizes, const std::vector<double>& d,
              Index parameters = 4) {
  const Coefficients result = coefficients(options, sizes, logarithms(d), parameters);
  return {exponentials(result.log_alpha), exponentials(result.log_lambda)};
}

void expect_values(const std::vector<double>& values, const std::vector<double>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-14) << "batch " << i;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(AdaptiveCoefficients, AreThePapers) {
  // N = 10, omega = 3: d^{-1/2} = 1/4, 1/2, 1.
  const Shares equal = shares({}, {10, 10, 10}, {16.0, 4.0, 1.0});
  expect_values(equal.alpha, {1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0});
  expect_values(equal.lambda, {std::sqrt(1.0 / 480.0), std::sqrt(1.0 / 120.0), std::sqrt(1.0 / 30.0)});
}

TEST(AdaptiveCoefficients, ScaleLambdaWithTheRootOfTheConstantAndLeaveAlphaAlone) {
  const double c = 4.0 * std::log(5.0) / 3.0;
  const Shares paper = shares({}, {10, 10}, {9.0, 1.0}), code = shares({.constant = c}, {10, 10}, {9.0, 1.0});
  expect_values(code.alpha, paper.alpha);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(code.lambda[i] / paper.lambda[i], 1.4648949, 1e-7);
}

TEST(AdaptiveCoefficients, HaveACommonRatioWhileNoLambdaIsCutOff) {
  const std::vector<double> d = {250.0, 7.0, 1.8, 1.2, 1.0};
  for (const double c : {1.0, 2.146}) {
    const Shares result = shares({.constant = c}, std::vector<Index>(5, 6), d);
    double roots = 0.0;
    for (const double x : d) roots += 1.0 / std::sqrt(x);
    EXPECT_NEAR(sum(result.alpha), 1.0, 1e-14);
    for (std::size_t i = 0; i < d.size(); ++i) {
      ASSERT_LT(result.lambda[i], 1.0);
      EXPECT_NEAR(result.alpha[i] / result.lambda[i], std::sqrt(6.0 * 5.0 / c) / roots, 1e-12);
    }
  }
}

TEST(AdaptiveCoefficients, OfUnequalBatchesCountTrajectories) {
  // M = 20; N d^{-1/2} = 2/2, 5/1, 13/1.
  const Shares result = shares({}, {2, 5, 13}, {4.0, 1.0, 1.0});
  expect_values(result.alpha, {1.0 / 19.0, 5.0 / 19.0, 13.0 / 19.0});
  expect_values(result.lambda, {std::sqrt(1.0 / 80.0), std::sqrt(1.0 / 20.0), std::sqrt(1.0 / 20.0)});
}

TEST(AdaptiveCoefficients, CutLambdaOffAtOne) {
  // One trajectory of 1 and c = 2.146: sqrt(2.146 / (2 d)) > 1 at d = 1, below it at d = 4; N = omega = c = 1 is
  // just 1.
  const Coefficients result =
      coefficients({.constant = 2.146}, std::vector<Index>{1, 1}, std::vector{std::log(4.0), 0.0}, 4);
  EXPECT_NEAR(std::exp(result.log_lambda[0]), std::sqrt(2.146 / 8.0), 1e-14);
  EXPECT_EQ(result.log_lambda[1], 0.0);
  EXPECT_EQ(coefficients({}, std::vector<Index>{1}, std::vector{0.0}, 4).log_lambda[0], 0.0);
  // A sample mean may estimate a divergence below 1.
  EXPECT_EQ(coefficients({}, std::vector<Index>{2}, std::vector{-3.0}, 4).log_lambda[0], 0.0);
}

TEST(AdaptiveCoefficients, StayFiniteAtADivergenceBeyondTheDoubles) {
  const std::vector<double> log_d = {5000.0, 2054.0, 0.0};
  const Coefficients result = coefficients({}, std::vector<Index>{5, 5, 5}, log_d, 4);
  EXPECT_TRUE(all_finite(result.log_alpha));
  EXPECT_TRUE(all_finite(result.log_lambda));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(result.log_alpha[i], -0.5 * log_d[i], 1e-9);
    EXPECT_NEAR(result.log_alpha[i] - result.log_lambda[i], 0.5 * std::log(15.0), 1e-9);
  }
  const Coefficients all_far = coefficients({}, std::vector<Index>{5, 5}, std::vector{5000.0, 5000.0}, 4);
  for (const double alpha : exponentials(all_far.log_alpha)) EXPECT_NEAR(alpha, 0.5, 1e-12);  // 2500 has 13 decimals
}

TEST(FixedCoefficients, AreThoseOfTheAblation) {
  const Shares result = shares({.rule = CoefficientRule::kFixed, .divergence_bound = 4.0}, {10, 10}, {900.0, 1.0});
  expect_values(result.alpha, {0.5, 0.5});
  expect_values(result.lambda, std::vector<double>(2, std::sqrt(1.0 / 80.0)));
  const Shares unequal = shares({.rule = CoefficientRule::kFixed, .divergence_bound = 2.0}, {1, 4}, {9.0, 1.0});
  expect_values(unequal.alpha, {0.2, 0.8});
  expect_values(unequal.lambda, std::vector<double>(2, std::sqrt(0.1)));
  // lambda > 1 iff D N omega < 1
  expect_values(shares({.rule = CoefficientRule::kFixed, .divergence_bound = 0.04}, {10, 10}, {1.0, 1.0}).lambda,
                {1.0, 1.0});
}

TEST(FixedCoefficients, AreTheAdaptiveOnesWhereEveryDivergenceIsTheBound) {
  const Shares fixed = shares({.rule = CoefficientRule::kFixed, .divergence_bound = 1.0}, {3, 8}, {1.0, 1.0});
  const Shares adaptive = shares({}, {3, 8}, {1.0, 1.0});
  expect_values(fixed.alpha, adaptive.alpha);
  expect_values(fixed.lambda, adaptive.lambda);
}

TEST(BoundOptimalCoefficients, AreThoseOfTheFormula) {
  // alpha_i = S / d_i, lambda_i = alpha_i sqrt(c / (N S)), S = 1 / sum 1 / d = 4 / 7.
  const double s = 4.0 / 7.0;
  for (const double constant : {1.0, 2.5}) {
    const Shares result =
        shares({.rule = CoefficientRule::kBoundOptimal, .constant = constant}, {100, 100, 100}, {4.0, 2.0, 1.0}, 2);
    expect_values(result.alpha, {1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0});
    const double factor = std::sqrt(constant / (100.0 * s));
    expect_values(result.lambda, {factor / 7.0, factor * 2.0 / 7.0, factor * 4.0 / 7.0});
  }
}

TEST(BoundOptimalCoefficients, CutLambdaOffAtOneAndStayFinite) {
  const CoefficientOptions options{.rule = CoefficientRule::kBoundOptimal, .constant = 10.0};
  const Shares few = shares(options, {1, 1}, {50.0, 1.0});
  EXPECT_EQ(few.lambda[1], 1.0);
  EXPECT_LT(few.lambda[0], 1.0);
  const Coefficients far = coefficients(options, std::vector<Index>{100, 100}, std::vector{5000.0, 0.0}, 4);
  EXPECT_NEAR(far.log_alpha[0], -5000.0, 1e-9);
  EXPECT_NEAR(far.log_alpha[0] - far.log_lambda[0], far.log_alpha[1] - far.log_lambda[1], 1e-9);
}

/// The part of the error bound that depends on the coefficients, G apart: the power mean's bias, the deviation (with
/// any factor) and the maximum term of Freedman's inequality.
///   sum_i alpha_i lambda_i d_i + kappa sqrt(L sum_i alpha_i^2 d_i / N_i) + (4 L / 3) max_i alpha_i / (lambda_i N_i)
double error_bound(const Shares& s, const std::vector<Index>& sizes, const std::vector<double>& d, double term) {
  double bias = 0.0, variance = 0.0, highest = 0.0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const auto n = static_cast<double>(sizes[i]);
    bias += s.alpha[i] * s.lambda[i] * d[i];
    variance += s.alpha[i] * s.alpha[i] * d[i] / n;
    highest = std::max(highest, s.alpha[i] / (s.lambda[i] * n));
  }
  return bias + std::sqrt(2.0 * term * variance) + 4.0 * term / 3.0 * highest;
}

TEST(BoundOptimalCoefficients, MinimizeTheErrorBound) {
  RandomStream random({.seed = 4, .purpose = Purpose::kBootstrap});
  const double term = 4.0 * std::log(6.0) - std::log(0.2);
  for (const std::vector<Index>& sizes : {std::vector<Index>{500, 500, 500}, std::vector<Index>{200, 900, 400}}) {
    const std::vector<double> d = {30.0, 3.0, 1.0};
    const Shares best = shares({.rule = CoefficientRule::kBoundOptimal, .constant = 4.0 * term / 3.0}, sizes, d);
    for (const double lambda : best.lambda) ASSERT_LT(lambda, 1.0);
    const double least = error_bound(best, sizes, d, term);
    double nearest = INFINITY;
    for (int trial = 0; trial < 20000; ++trial) {
      const double spread = std::pow(10.0, random.uniform(-3.0, 1.0));  // from next to it to anywhere
      Shares other = best;
      for (double& alpha : other.alpha) alpha *= std::exp(spread * random.normal());
      const double total = sum(other.alpha);
      for (double& alpha : other.alpha) alpha /= total;
      for (double& lambda : other.lambda) lambda *= std::exp(spread * random.normal());
      const double bound = error_bound(other, sizes, d, term);
      nearest = std::min(nearest, bound);
      ASSERT_GE(bound, least * (1.0 - 1e-12));
    }
    EXPECT_LT(nearest, 1.01 * least);                                            // the trials did come close
    EXPECT_GT(error_bound(shares({}, sizes, d), sizes, d, term), 1.02 * least);  // the adaptive rule is not the minimum
  }
}

TEST(TheoremCoefficients, AreThoseByHand) {
  const CoefficientOptions independent{
      .rule = CoefficientRule::kHistoryIndependent, .divergence_bound = 2.0, .confidence = 0.2};
  const Shares first = shares(independent, std::vector<Index>(8, 10), std::vector<double>(8, 3.0));
  expect_values(first.alpha, std::vector<double>(8, 0.125));
  for (const double lambda : first.lambda) EXPECT_NEAR(lambda, 0.2704390842, 1e-10);

  const CoefficientOptions dependent{
      .rule = CoefficientRule::kHistoryDependent,
      .divergence_bound = 2.0,
      .bounds = {.gradient_bound = 3.0, .hessian_bound = 5.0, .score_bound = 0.7, .horizon = 20.0, .step_size = 0.01}};
  const Shares second = shares(dependent, std::vector<Index>(8, 200), std::vector<double>(8, 3.0));
  expect_values(second.alpha, std::vector<double>(8, 0.125));
  for (const double lambda : second.lambda) EXPECT_NEAR(lambda, 0.1626416501, 1e-10);

  const Shares unequal = shares(independent, {20, 60}, {3.0, 1.0});
  expect_values(unequal.alpha, {0.25, 0.75});
  for (const double lambda : unequal.lambda) EXPECT_NEAR(lambda, 0.2704390842, 1e-10);  // M = 80 again
}

TEST(TheoremCoefficients, CutLambdaOffAtOne) {
  expect_values(shares({.rule = CoefficientRule::kHistoryIndependent}, {1, 1}, {1.0, 1.0}).lambda, {1.0, 1.0});
}

TEST(ExplicitCoefficients, GoByAgeAndTheLastServesAllOlderBatches) {
  const CoefficientOptions options{.rule = CoefficientRule::kExplicit, .lambda = {1.0, 0.5, 0.1}, .alpha = {4.0, 2.0}};
  const Shares four = shares(options, {5, 5, 5, 5}, {1.0, 1.0, 1.0, 1.0});
  expect_values(four.lambda, {0.1, 0.1, 0.5, 1.0});  // oldest first
  expect_values(four.alpha, {0.2, 0.2, 0.2, 0.4});
  const Shares two = shares(options, {5, 5}, {1.0, 1.0});
  expect_values(two.lambda, {0.5, 1.0});
  expect_values(two.alpha, {1.0 / 3.0, 2.0 / 3.0});
}

TEST(ExplicitCoefficients, WithoutAlphaShareByTrajectories) {
  const Shares result = shares({.rule = CoefficientRule::kExplicit, .lambda = {0.0}}, {3, 9}, {70.0, 1.0});
  expect_values(result.alpha, {0.25, 0.75});
  expect_values(result.lambda, {0.0, 0.0});
}

TEST(ExplicitCoefficients, ShareByTrajectoriesWhereNoBatchThereIsHasAShare) {
  // The fresh batch is left out, and in the first iteration there is no other.
  const CoefficientOptions options{.rule = CoefficientRule::kExplicit, .lambda = {0.5}, .alpha = {0.0, 1.0}};
  expect_values(shares(options, {6}, {1.0}).alpha, {1.0});
  expect_values(shares(options, {6, 6}, {1.0, 1.0}).alpha, {1.0, 0.0});
}

/// Every rule with numbers it may have.
std::vector<CoefficientOptions> all_rules() {
  std::vector<CoefficientOptions> result;
  for (const CoefficientRule rule :
       {CoefficientRule::kAdaptive, CoefficientRule::kFixed, CoefficientRule::kBoundOptimal,
        CoefficientRule::kHistoryIndependent, CoefficientRule::kHistoryDependent, CoefficientRule::kExplicit}) {
    result.push_back(
        {.rule = rule,
         .bounds = {.gradient_bound = 1.0, .hessian_bound = 1.0, .score_bound = 1.0, .horizon = 1.0, .step_size = 0.1},
         .lambda = {0.3},
         .alpha = {7.0}});
  }
  return result;
}

TEST(Coefficients, OfOneBatchGiveItAll) {
  for (const CoefficientOptions& options : all_rules()) {
    EXPECT_NEAR(shares(options, {6}, {1.0}).alpha[0], 1.0, 1e-15);
  }
}

TEST(Coefficients, OfAnInfiniteDivergenceLeaveNoShareWhereDivergencesCount) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const CoefficientOptions& options : all_rules()) {
    const Shares given = shares(options, {6, 6, 6}, {infinity, 1.0, 1.0});
    const bool counts = options.rule == CoefficientRule::kAdaptive || options.rule == CoefficientRule::kBoundOptimal;
    const double third = 1.0 / 3.0;
    expect_values(given.alpha, counts ? std::vector{0.0, 0.5, 0.5} : std::vector{third, third, third});
    EXPECT_EQ(given.lambda[0] == 0.0, counts);
    EXPECT_TRUE(all_finite(given.lambda));
  }
}

}  // namespace
}  // namespace retropg::test
