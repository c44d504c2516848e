// Parameter-based exploration on functions of the parameters with known gradients: for R = v' theta, grad J = v, and
// for R = -||theta - c||^2, grad J = -2 (mu - c) by the means and -2 sigma^2 by log sigma. Every check allows 4.5
// standard errors, so that sound code fails one of them once in 150,000 seeds, and says beside it how small the
// standard error is.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "retropg/core/numerics.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/policy/hyperpolicy.hpp"
#include "support/hyper_batch.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

using Reward = std::function<double(Parameters)>;

const std::vector<double> kVariance = {0.3, 1.2, 0.6};
const std::vector<double> kSlope = {1.0, -2.0, 0.5}, kCenter = {0.4, 0.0, -0.7};

double linear(Parameters theta) {
  return kSlope[0] * theta[0] + kSlope[1] * theta[1] + kSlope[2] * theta[2];
}
double bowl(Parameters theta) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) sum -= std::pow(theta[i] - kCenter[i], 2);
  return sum;
}
double one(Parameters) {
  return 1.0;
}

std::unique_ptr<Policy> learning() {
  return hyperpolicy(linear_inner(3), {.variance = kVariance, .learn_deviation = true});
}

/// Means away from the start, deviations times e^change.
std::vector<double> parameters(std::uint64_t seed, double scale, double change) {
  std::vector<double> xi = learning()->initial_parameters(1);
  const std::vector<double> move = random_numbers(3, scale, seed);
  for (std::size_t i = 0; i < 3; ++i) {
    xi[i] += move[i];
    xi[3 + i] += change;
  }
  return xi;
}

std::vector<double> true_gradient(const Reward& reward, const std::vector<double>& xi) {
  std::vector<double> gradient(6, 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    if (reward(kSlope) == linear(kSlope)) gradient[i] = kSlope[i];
    if (reward(kSlope) == bowl(kSlope)) {
      gradient[i] = -2.0 * (xi[i] - kCenter[i]);
      gradient[3 + i] = -2.0 * std::exp(2.0 * xi[3 + i]);
    }
  }
  return gradient;
}

/// Checks the mean of `repetitions` independent vectors.
void expect_mean(const std::function<std::vector<double>(std::uint64_t)>& draw, Index repetitions,
                 const std::vector<double>& expected, double largest_standard_error) {
  std::vector<std::vector<double>> samples(expected.size());
  for (Index r = 0; r < repetitions; ++r) {
    const std::vector<double> values = draw(static_cast<std::uint64_t>(r) + 1);
    for (std::size_t i = 0; i < values.size(); ++i) samples[i].push_back(values[i]);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = standard_deviation(samples[i]) / std::sqrt(static_cast<double>(repetitions));
    EXPECT_NEAR(mean(samples[i]), expected[i], 4.5 * error) << "number " << i;
    EXPECT_LT(error, largest_standard_error) << "number " << i;
  }
}

TEST(PgpeBias, IsNoneOnLinearAndQuadraticReturns) {
  const auto policy = learning();
  const std::vector<double> xi = parameters(1, 0.5, 0.1);
  const auto estimator = on_policy(100, Credit::kReturn);
  const Workers workers;
  const OrderedSum sum(workers);
  for (const Reward& reward : {Reward(one), Reward(linear), Reward(bowl)}) {  // of 1: the score's mean is 0
    expect_mean(
        [&](std::uint64_t seed) {
          std::vector<Batch> fresh(1);
          fresh[0].evidence = policy->digest(xi, drawn_batch(*policy, xi, 100, seed, reward), 1.0, Credit::kReturn);
          return estimator->estimate(xi, std::move(fresh), sum).gradient;
        },
        4000, true_gradient(reward, xi), 0.03);
  }
}

TEST(ParameterReuseBias, IsNoneForPlainAndBalancedWeightsWithFixedParameters) {
  // Behaviors whose deviations are larger and smaller than the target's; their weights have finite variance.
  const auto policy = learning();
  const std::vector<double> target = parameters(1, 0.2, 0.0);
  const std::vector<std::vector<double>> behaviors = {parameters(2, 0.2, 0.2), parameters(3, 0.2, -0.1), target};
  const Workers workers;
  const OrderedSum sum(workers);
  for (const bool balanced : {false, true}) {
    WindowedGradient gradient(balanced ? balance_heuristic() : multiple_importance_weights());
    std::vector<double> expected = true_gradient(bowl, target);
    expected.push_back(1.0);  // the mean weight
    expect_mean(
        [&](std::uint64_t seed) {
          Window window(3);
          for (std::size_t b = 0; b < 3; ++b) {
            const TrajectoryBatch batch = drawn_batch(*policy, behaviors[b], 40, 3 * seed + b, bowl);
            window.push(behaviors[b], policy->digest(behaviors[b], batch, 1.0, Credit::kReturn));
          }
          gradient.forget();
          const Estimate estimate = gradient(window, target, sum);
          std::vector<double> values = estimate.gradient;
          values.push_back(estimate.diagnostics.weight_mean);
          return values;
        },
        4000, expected, 0.04);
  }
}

TEST(ParameterDivergence, IsTheMeanSquaredRatio) {
  const auto policy = learning();
  const std::vector<double> behavior = parameters(2, 0.1, 0.1), target = parameters(2, 0.1, 0.0);
  double closed = 0.0;
  expect_mean(
      [&](std::uint64_t seed) {
        const auto evidence =
            policy->digest(behavior, drawn_batch(*policy, behavior, 400, seed, one), 1.0, Credit::kOne);
        std::vector<double> log_ratio(400), renyi(400);
        evidence->compare(target, 2.0, 0, 100, log_ratio.data(), renyi.data(), nullptr);
        closed = std::exp(renyi[0]);
        double sum = 0.0;
        for (const double x : log_ratio) sum += std::exp(2.0 * x) / 400.0;
        return std::vector{sum - closed};
      },
      1000, {0.0}, 0.01);
  EXPECT_GT(closed, 1.02);
}

}  // namespace
}  // namespace retropg::test
