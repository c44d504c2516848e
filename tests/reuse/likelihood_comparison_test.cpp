#include "retropg/reuse/likelihood_comparison.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "retropg/policy/linear_gaussian.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"
#include "support/scripted_evidence.hpp"

namespace retropg::test {
namespace {

const std::vector<double> kAnyTheta = {0.0};

std::vector<double> divergences(const Window& window, const DivergenceOptions& options, Parameters theta = kAnyTheta) {
  const Workers workers;
  const OrderedSum sum(workers);
  LikelihoodComparison comparison;
  std::vector<double> result;
  compare(window, theta, options.order, sum, comparison);
  log_divergences(window, comparison, options, sum, result);
  return result;
}

TEST(LikelihoodComparison, IsThatOfEveryBatchInTheWindowsOrder) {
  const LinearGaussianOptions options{.observation_size = 3, .action_size = 1};
  const auto policy = linear_gaussian(options);
  Window window(kFullReuse);
  for (std::uint64_t number = 1; number <= 5; ++number) {
    const std::vector<double> theta = random_numbers(3, 0.5, number);
    window.push(theta, policy->digest(theta, random_batch(options, theta, static_cast<Index>(2 * number), 6, number),
                                      1.0, Credit::kRewardToGo));
  }
  const std::vector<double> theta = random_numbers(3, 0.5, 9);
  const Workers workers;
  LikelihoodComparison comparison{
      .log_ratio = std::vector<double>(1000, 3.0), .renyi = {}, .passes = {}};  // what was there is overwritten
  compare(window, theta, 2.0, OrderedSum(workers), comparison);

  std::vector<double> log_ratio, distance;
  for (const WindowEntry& entry : window.entries()) {
    const Answers answers = ask(*entry.evidence, theta, std::vector<double>(as_size(entry.evidence->size()), 1.0));
    log_ratio.insert(log_ratio.end(), answers.log_ratio.begin(), answers.log_ratio.end());
    distance.insert(distance.end(), answers.renyi.begin(), answers.renyi.end());
  }
  EXPECT_EQ(bits(comparison.log_ratio), bits(log_ratio));
  EXPECT_EQ(bits(comparison.renyi), bits(distance));
}

TEST(LikelihoodComparison, RefusesTrajectoriesWhoseActionsWereSpread) {
  Window window(2);
  window.push({}, scripted({0.0}));
  window.push({}, scripted({0.0}), 1.3);
  const Workers workers;
  LikelihoodComparison comparison;
  expect_throw([&] { compare(window, kAnyTheta, 2.0, OrderedSum(workers), comparison); },
               "a window can only compare trajectories drawn with spread = 1");
}

TEST(Divergence, ByProductIsTheMeanOverTrajectoriesOfTheClosedForms) {
  Window window(kFullReuse);
  window.push({}, scripted({9.0, 9.0, 9.0}, {0.2, 1.5, 0.7}));  // log-ratios do not enter
  window.push({}, scripted({9.0, 9.0, 9.0, 9.0, 9.0}, {0.1, 0.0, 0.3, 2.0, 0.4}));
  for (const double order : {1.5, 2.0, 3.0}) {
    const double factor = order * (order - 1.0) / 2.0;
    const auto e = [&](double q) { return std::exp(factor * q); };
    const std::vector<double> result = divergences(window, {.order = order});
    ASSERT_EQ(result.size(), 2U);
    EXPECT_NEAR(result[0], std::log((e(0.2) + e(1.5) + e(0.7)) / 3.0), 1e-14);
    EXPECT_NEAR(result[1], std::log((e(0.1) + e(0.0) + e(0.3) + e(2.0) + e(0.4)) / 5.0), 1e-14);
  }
}

TEST(Divergence, BySampleIsTheMeanPowerOfTheRatio) {
  Window window(kFullReuse);
  window.push({}, scripted({-0.4, 0.9, 0.1}, {9.0, 9.0, 9.0}));  // divergences in closed form do not enter
  window.push({}, scripted({-2.0}, {9.0}));
  for (const double order : {1.5, 2.0, 3.0}) {
    const std::vector<double> result = divergences(window, {.estimator = DivergenceEstimator::kSample, .order = order});
    EXPECT_NEAR(result[0], std::log((std::exp(-0.4 * order) + std::exp(0.9 * order) + std::exp(0.1 * order)) / 3.0),
                1e-14);
    EXPECT_NEAR(result[1], -2.0 * order, 1e-14);
  }
}

TEST(Divergence, StaysFiniteBeyondTheRangeOfExp) {
  Window window(kFullReuse);
  window.push({}, scripted({5000.0, 4000.0, -5000.0}, {5000.0, 5000.0, 0.0}));
  window.push({}, scripted({-5000.0, -5001.0}, {1e300, 0.0}));
  EXPECT_NEAR(divergences(window, {})[0], 5000.0 + std::log(2.0 / 3.0), 1e-11);
  EXPECT_NEAR(divergences(window, {})[1] / 1e300, 1.0, 1e-14);
  const std::vector<double> sample = divergences(window, {.estimator = DivergenceEstimator::kSample});
  EXPECT_NEAR(sample[0], 10000.0 - std::log(3.0), 1e-11);
  EXPECT_NEAR(sample[1], -10000.0 + std::log((1.0 + std::exp(-2.0)) / 2.0), 1e-11);
}

TEST(Divergence, IsInfiniteWhereAClosedFormIs) {
  const double infinity = std::numeric_limits<double>::infinity();
  Window window(kFullReuse);
  window.push({}, scripted({0.5, -0.5, 1.0}, {infinity, infinity, infinity}));
  window.push({}, scripted({0.0, 0.0}, {0.3, 0.3}));
  for (const double order : {1.5, 2.0}) {
    const std::vector<double> result = divergences(window, {.order = order});
    EXPECT_EQ(result[0], infinity);
    EXPECT_NEAR(result[1], 0.5 * order * (order - 1.0) * 0.3, 1e-15) << "its neighbor does not mind";
  }
  EXPECT_TRUE(std::isfinite(divergences(window, {.estimator = DivergenceEstimator::kSample})[0]));
}

TEST(Divergence, OfTheCurrentBatchIsExactlyZero) {
  const LinearGaussianOptions options{.observation_size = 2, .action_size = 2, .bias = true};
  const auto policy = linear_gaussian(options);
  const std::vector<double> theta = random_numbers(6, 3.0, 1), older = random_numbers(6, 3.0, 2);
  for (Index size = 1; size <= 9; ++size) {
    Window window(kFullReuse);
    for (const auto& behavior : {older, theta}) {
      window.push(behavior,
                  policy->digest(behavior, random_batch(options, behavior, size, 8, 3), 1.0, Credit::kRewardToGo));
    }
    for (const DivergenceEstimator estimator : {DivergenceEstimator::kProduct, DivergenceEstimator::kSample}) {
      for (const double order : {1.3, 2.0}) {
        const std::vector<double> result = divergences(window, {.estimator = estimator, .order = order}, theta);
        EXPECT_EQ(bits(std::span(result).last(1)), bits(std::vector{0.0}));
        EXPECT_NE(result[0], 0.0);
      }
    }
  }
}

/// The integral of p^order q^{1 - order} for p = N(target, variance), q = N(behavior, variance).
double power_integral(double target, double behavior, double variance, double order) {
  const auto log_density = [&](double a, double mean) {
    return -0.5 * ((a - mean) * (a - mean) / variance + std::log(2.0 * std::numbers::pi * variance));
  };
  const auto integrand = [&](double a) {
    return std::exp(order * log_density(a, target) + (1.0 - order) * log_density(a, behavior));
  };
  const double center = order * target + (1.0 - order) * behavior, reach = 12.0 * std::sqrt(variance);
  return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(integrand, center - reach, center + reach, 15,
                                                                       1e-13);
}

TEST(Divergence, OfASingleStepIsTheIntegral) {
  const LinearGaussianOptions options{.observation_size = 1, .action_size = 1, .variance = {0.6}};
  const auto policy = linear_gaussian(options);
  const std::vector<double> behavior = {-0.2};
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  for (const double action : {0.3, -1.0, 0.9}) {
    batch.add(std::vector{1.0}, std::vector{action}, 1.0);
    batch.close();
  }
  Window window(1);
  window.push(behavior, policy->digest(behavior, batch, 1.0, Credit::kRewardToGo));
  for (const double target : {-0.2, 0.1, 1.3}) {
    for (const double order : {1.5, 2.0, 3.0}) {
      const double expected = power_integral(target, -0.2, 0.6, order);
      EXPECT_NEAR(std::exp(divergences(window, {.order = order}, std::vector{target})[0]), expected, 1e-10 * expected);
    }
  }
}

}  // namespace
}  // namespace retropg::test
