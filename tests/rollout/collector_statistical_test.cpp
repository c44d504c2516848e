#include "retropg/rollout/collector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/linear_quadratic.hpp"
#include "retropg/policy/linear_gaussian.hpp"

namespace retropg::test {
namespace {

// Bounds are 4.5 standard errors: a sound collector fails one of the checks once in 150,000 seeds.
constexpr double kStandardErrors = 4.5;

struct Sample {
  std::vector<double> values;

  double mean() const { return retropg::mean(values); }
  double standard_error() const { return standard_deviation(values) / std::sqrt(static_cast<double>(values.size())); }
  Sample squares() const {
    Sample result = *this;
    for (double& value : result.values) value *= value;
    return result;
  }
};

Sample collected_returns(const EnvironmentDefinition& environment, const LinearGaussianOptions& options,
                         const std::vector<double>& theta, Index count) {
  const std::unique_ptr<Policy> policy = linear_gaussian(options);
  const Workers workers(2);
  Collector collector(environment, *policy, {.seed = 11, .lanes = 64}, workers);
  return {collector.collect(theta, 0, 0, count).returns};
}

/// Cart Pole under a linear policy as a plain loop from the specification, with the standard library's generator.
Sample reference_returns(const std::array<double, 4>& theta, double variance, int count) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> start(-0.05, 0.05);
  std::normal_distribution<double> noise(0.0, std::sqrt(variance));
  Sample sample;
  for (int j = 0; j < count; ++j) {
    double x = start(engine), v = start(engine), phi = start(engine), w = start(engine);
    int t = 0;
    for (bool ended = false; t < 200 && !ended; ++t) {
      const double action = theta[0] * x + theta[1] * v + theta[2] * phi + theta[3] * w + noise(engine);
      const double f = std::clamp(action, -10.0, 10.0), sine = std::sin(phi), cosine = std::cos(phi);
      const double tmp = (f + 0.05 * w * w * sine) / 1.1;
      const double wdot = (9.8 * sine - cosine * tmp) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1));
      const double vdot = tmp - 0.05 * wdot * cosine / 1.1;
      x += 0.02 * v;
      v += 0.02 * vdot;
      phi += 0.02 * w;
      w += 0.02 * wdot;
      ended = std::abs(x) > 2.4 || std::abs(phi) > 12.0 * std::numbers::pi / 180.0;
    }
    sample.values.push_back(t);
  }
  return sample;
}

void expect_equal_means(const Sample& a, const Sample& b, double largest_error) {
  const double standard_error = std::hypot(a.standard_error(), b.standard_error());
  EXPECT_NEAR(a.mean(), b.mean(), kStandardErrors * standard_error);
  EXPECT_LT(standard_error, largest_error);  // small enough to see a real difference
}

constexpr LinearGaussianOptions cart_pole_policy(double variance) {
  return {.observation_size = 4, .action_size = 1, .variance = {variance}};
}

TEST(CollectorStatistical, ReturnWithoutControlIsThePapersFortyOne) {
  const Sample returns = collected_returns(cart_pole(), cart_pole_policy(0.3), std::vector(4, 0.0), 200000);
  EXPECT_GT(returns.mean(), 40.0);  // the specification's 40 to 42
  EXPECT_LT(returns.mean(), 42.0);
  EXPECT_LT(returns.standard_error(), 0.05);
  const Sample reference = reference_returns({}, 0.3, 200000);
  expect_equal_means(returns, reference, 0.06);
  expect_equal_means(returns.squares(), reference.squares(), 0.006 * returns.squares().mean());
}

TEST(CollectorStatistical, ReturnsUnderControlAreThoseOfAPlainSimulation) {
  // A policy that clips now and then, and one that often reaches the horizon; the order of the parameters matters.
  for (const auto& [theta, variance] :
       {std::pair<std::array<double, 4>, double>{{0.5, 1.0, 6.0, 1.5}, 25.0}, {{0.3, 0.5, 12.0, 2.0}, 0.3}}) {
    const std::vector<double> parameters(theta.begin(), theta.end());
    const Sample returns = collected_returns(cart_pole(), cart_pole_policy(variance), parameters, 30000);
    const Sample reference = reference_returns(theta, variance, 30000);
    expect_equal_means(returns, reference, 0.01 * returns.mean());
    expect_equal_means(returns.squares(), reference.squares(), 0.02 * returns.squares().mean());
  }
}

TEST(CollectorStatistical, MeanReturnIsTheClosedFormOfTheLinearQuadraticProblem) {
  const LinearQuadraticOptions options{.dynamics = {0.9, 0.2, -0.1, 0.8},
                                       .input = {0.1, 0.2, -0.3, 0.5, 0.0, 0.1},
                                       .action_cost = {1.0, 0.2, 0.0, 0.2, 2.0, 0.0, 0.0, 0.0, 3.0},
                                       .process_noise = 0.3};
  const std::vector<double> theta{0.1, -0.2, 0.3, 0.4, -0.5, 0.6}, variance{0.3, 0.5, 0.1};
  EnvironmentDefinition environment = linear_quadratic(options);
  environment.discount = 0.9;
  environment.horizon = 13;  // not whole segments
  const Sample returns =
      collected_returns(environment, {.observation_size = 2, .action_size = 3, .variance = variance}, theta, 100000);
  const double exact = linear_quadratic_exact(options, theta, variance, 13, 0.9).value;
  EXPECT_NEAR(returns.mean(), exact, kStandardErrors * returns.standard_error());
  EXPECT_LT(returns.standard_error(), 0.003 * std::abs(exact));
}

}  // namespace
}  // namespace retropg::test
