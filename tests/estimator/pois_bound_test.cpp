#include "retropg/estimator/pois_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/bandit.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/laboratory.hpp"
#include "support/random_batch.hpp"
#include "support/pois_batch.hpp"
#include "support/scripted_evidence.hpp"

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double largest(const std::vector<double>& numbers) {
  double result = 0.0;
  for (const double number : numbers) result = std::max(result, std::abs(number));
  return result;
}

double deviation(const std::vector<double>& numbers) {
  const auto n = static_cast<double>(numbers.size());
  return standard_deviation(numbers) * std::sqrt((n - 1.0) / n);
}

TEST(PoisBound, AtTheBehaviorIsTheMeanLessThePenaltyOfNTrajectories) {
  OnABatch on;
  for (const PoisBoundOptions& options : all_bounds(0.7)) {
    const std::vector<double> values = on.values(false);
    PoisBound bound(*on.batch().evidence, values, options, on.lab().sum());
    const double scale = options.scale == PenaltyScale::kMaximum ? largest(values) : deviation(values);
    EXPECT_NEAR(bound.value(on.theta()), mean(values) - scale * std::sqrt(0.3 / (0.7 * 7.0)), 1e-13 * largest(values));
  }
}

TEST(PoisBound, AwayFromTheBehaviorIsItsFormula) {
  OnABatch on;
  const std::vector<double> theta = sum_of(on.theta(), random_numbers(3, 0.2, 2)), values = on.values();
  std::vector<double> log_ratio(8), renyi(8);
  on.batch().evidence->compare(theta, 2.0, 0, 2, log_ratio.data(), renyi.data(), nullptr);
  double w = 0.0, w2 = 0.0, wv = 0.0, d2 = 0.0;
  for (std::size_t j = 0; j < 7; ++j) {
    w += std::exp(log_ratio[j]);
    w2 += std::exp(2.0 * log_ratio[j]);
    wv += std::exp(log_ratio[j]) * values[j];
    d2 += std::exp(renyi[j]) / 7.0;
  }
  ASSERT_GT(d2, 1.01);
  for (const PoisBoundOptions& options : all_bounds(0.7)) {
    const double scale = options.scale == PenaltyScale::kMaximum ? largest(values) : deviation(values);
    const double count = options.count == PenaltyCount::kDivergence ? 7.0 / d2 : w * w / w2;
    const double expected =
        wv / (options.self_normalized ? w : 7.0) - scale * std::sqrt(0.3 / 0.7) * std::sqrt(1.0 / count);
    EXPECT_NEAR(on.bound(options).value(theta), expected, 1e-12 * scale);
  }
}

/// Central differences of the bound, at theta + shift and relative to the gradient's largest component.
void expect_derivative(PoisBound bound, const std::vector<double>& theta) {
  const PoisBound::Point point = bound.value_and_gradient(theta);
  EXPECT_EQ(point.value, bound.value(theta));
  EXPECT_GT(largest(point.gradient), 1e-3) << "zeros would not do";
  constexpr double h = 1e-5;  // the third derivatives leave some h^2
  for (std::size_t i = 0; i < theta.size(); ++i) {
    std::vector<double> above = theta, below = theta;
    above[i] += h;
    below[i] -= h;
    const double expected = (bound.value(above) - bound.value(below)) / (2.0 * h);
    EXPECT_NEAR(point.gradient[i], expected, 1e-6 * std::max(1.0, largest(point.gradient))) << i;
  }
}

TEST(PoisBound, GradientIsItsDerivative) {
  OnABatch on;
  for (const PoisBoundOptions& options : all_bounds()) {
    for (const double shift : {0.0, 0.02, 0.15}) {
      expect_derivative(on.bound(options), sum_of(on.theta(), random_numbers(3, shift, 3)));
    }
  }
}

TEST(PoisBound, GradientIsItsDerivativeForNetworks) {
  const MlpGaussianOptions options{
      .observation_size = 3, .action_size = 2, .hidden = {6, 5}, .bias = true, .variance = {0.2, 0.5}};
  const auto policy = mlp_gaussian(options);
  const std::vector<double> theta = random_numbers(policy->parameter_count(), 0.4, 1);
  const TrajectoryBatch steps = random_batch(options, theta, ragged(9, 8, 2), 3);
  const auto evidence = policy->digest(theta, steps, 1.0, Credit::kOne);
  const Workers workers;
  const OrderedSum sum(workers);
  for (const PoisBoundOptions& bound : all_bounds()) {
    expect_derivative(PoisBound(*evidence, discounted_returns(steps, 1.0), bound, sum),
                      sum_of(theta, random_numbers(policy->parameter_count(), 0.03, 4)));
  }
}

TEST(PoisBound, GradientAtTheBehaviorIsReinforceWithTheMeanAsBaseline) {
  OnABatch on;
  // (1/N) sum_j (R_j - mean R) s_j from the definition.
  const TrajectoryBatch steps = on.lab().collect_steps(on.theta(), 1, kBatch);
  const std::vector<double> values = on.values();
  std::vector<double> expected(3, 0.0);
  for (Index j = 0; j < kBatch; ++j) {
    const double whole = reference::credit(steps, j, 0, 0.95, Credit::kReturn);
    const std::vector<double> one =
        reference::gradient(on.lab().options(), on.theta(), steps, j, 0.95, Credit::kReturn);
    for (std::size_t i = 0; i < 3; ++i) expected[i] += one[i] / whole * values[as_size(j)] / 7.0;
  }
  for (const PoisBoundOptions& options : all_bounds()) {
    const std::vector<double> got = on.bound(options).value_and_gradient(on.theta()).gradient;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i], expected[i], 1e-12 * norm(expected));
    PoisBoundOptions free = options;
    free.delta = 1.0;
    EXPECT_EQ(bits(on.bound(free).value_and_gradient(on.theta()).gradient), bits(got))
        << "the penalty adds exactly nothing";
  }
}

TEST(PoisBound, SelfNormalizedDoesNotFollowAConstantInTheValues) {
  OnABatch on;
  const std::vector<double> theta = sum_of(on.theta(), random_numbers(3, 0.2, 2));
  const auto gradient = [&](bool centered, bool self) {
    const PoisBoundOptions options{.delta = 1.0, .self_normalized = self};
    return PoisBound(*on.batch().evidence, on.values(centered), options, on.lab().sum())
        .value_and_gradient(theta)
        .gradient;
  };
  const std::vector<double> plain = gradient(false, true), centered = gradient(true, true);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(plain[i], centered[i], 1e-11 * norm(centered));
  EXPECT_GT(std::abs(gradient(false, false)[0] - gradient(true, false)[0]), 1e-3 * norm(centered));
}

TEST(PoisBound, HasTheExactDivergenceOfOneDecision) {
  // With one decision that depends on no state, as a hyperpolicy's, every trajectory's distance is log d2 itself.
  Laboratory lab(gaussian_bandit(), {.variance = {0.25}}, 6);
  for (const Index size : {1, 5, 50}) {
    const Batch batch = lab.collect({0.2}, 1, size, Credit::kOne);
    PoisBound bound(*batch.evidence, std::vector(as_size(size), 1.0), {.delta = 0.5, .self_normalized = true},
                    lab.sum());
    const double expected = 0.3 * 0.3 / 0.25;
    EXPECT_NEAR(bound.value(std::vector{0.5}), 1.0 - std::sqrt(std::exp(expected) / static_cast<double>(size)), 1e-12);
    EXPECT_NEAR(bound.diagnostics().log_divergence_max, expected, 1e-12);
    EXPECT_NEAR(bound.diagnostics().weight_mean, 1.0, 1e-12) << "weights sum to 1";
  }
}

TEST(PoisBound, LosesItsPenaltyAsDeltaGoesToOne) {
  OnABatch on;
  const std::vector<double> theta = sum_of(on.theta(), random_numbers(3, 0.2, 2));
  for (PoisBoundOptions options : all_bounds(1.0)) {
    const double free = on.bound(options).value(theta);
    options.delta = 0.99;
    const double some = on.bound(options).value(theta);
    options.delta = 1.0 - 1e-6;
    const double little = on.bound(options).value(theta);
    EXPECT_LT(some, little);
    EXPECT_LT(little, free);
    EXPECT_NEAR((free - some) / (free - little), std::sqrt(0.01 / 0.99 * (1.0 - 1e-6) / 1e-6), 1e-6);
  }
}

TEST(PoisBound, CutsWeightsAndCountsThem) {
  const std::vector<double> theta = {0.0};
  const Workers workers;
  const OrderedSum sum(workers);
  ScriptedEvidence evidence({400.0, 1.0, 300.0, 299.0, 1000.0}, std::vector(5, 0.0), {1.0, 2.0, 3.0, 5.0, 7.0});
  PoisBound bound(evidence, {1.0, 2.0, 3.0, 4.0, 5.0}, {.delta = 1.0}, sum);
  const PoisBound::Point point = bound.value_and_gradient(theta);
  EXPECT_NEAR(point.value / std::exp(300.0), (1.0 + 3.0 + 5.0 + 4.0 * std::exp(-1.0)) / 5.0, 1e-12);
  EXPECT_NEAR(point.gradient[0] / std::exp(300.0), 5.0 * 4.0 * std::exp(-1.0) / 5.0, 1e-12)
      << "weights that are cut do not move";
  EXPECT_EQ(bound.diagnostics().saturated, 3);
}

TEST(PoisBound, IsMinusInfinityWhereItIsNotFinite) {
  const std::vector<double> theta = {0.0};
  const Workers workers;
  const OrderedSum sum(workers);
  const std::vector<double> values = {1.0, 2.0};
  for (const double distance : {2000.0, kInfinity, std::nan("")}) {
    ScriptedEvidence evidence({0.0, 0.0}, {0.0, distance});
    EXPECT_EQ(PoisBound(evidence, values, {.delta = 0.9}, sum).value(theta), -kInfinity);
  }
  for (const double ratio : {-kInfinity, std::nan("")}) {
    ScriptedEvidence evidence({ratio, ratio}, {0.0, 0.0});
    EXPECT_EQ(PoisBound(evidence, values, {.delta = 0.9, .self_normalized = true}, sum).value(theta), -kInfinity);
  }
}

TEST(PoisBound, KeepsItsDigitsWhereEveryWeightUnderflows) {
  const std::vector<double> theta = {0.0};
  const Workers workers;
  const OrderedSum sum(workers);
  ScriptedEvidence far({-2000.0, -2001.0}, {0.0, 0.0}), near({0.0, -1.0}, {0.0, 0.0});
  const PoisBoundOptions options{.delta = 0.9, .count = PenaltyCount::kEffective, .self_normalized = true};
  PoisBound a(far, {1.0, 3.0}, options, sum), b(near, {1.0, 3.0}, options, sum);
  EXPECT_NEAR(a.value(theta), b.value(theta), 1e-12);
  EXPECT_NEAR(a.diagnostics().effective_sample_size, b.diagnostics().effective_sample_size, 1e-10);
}

TEST(PoisBound, DescribesItsWeights) {
  const std::vector<double> theta = {0.0};
  const Workers workers;
  const OrderedSum sum(workers);
  ScriptedEvidence evidence({std::log(2.0), std::log(0.5), 0.0}, {1.0, 2.0, 0.5});
  for (const bool self : {false, true}) {
    PoisBound bound(evidence, {1.0, 2.0, 3.0}, {.self_normalized = self}, sum);
    bound.value(theta);
    const Diagnostics d = bound.diagnostics();
    EXPECT_NEAR(d.effective_sample_size, 3.5 * 3.5 / 5.25, 1e-13);
    EXPECT_NEAR(d.weight_mean, self ? 1.0 : 3.5 / 3.0, 1e-13);
    EXPECT_NEAR(d.weight_max, self ? 6.0 / 3.5 : 2.0, 1e-13);
    EXPECT_NEAR(d.log_divergence_max, std::log((std::exp(1.0) + std::exp(2.0) + std::exp(0.5)) / 3.0), 1e-13);
    ASSERT_EQ(d.batches.size(), 1u);
    EXPECT_EQ(d.batches[0].log_divergence, d.log_divergence_max);
    EXPECT_EQ(d.saturated, 0);
  }
}

TEST(PoisBound, NeedsAValueForEveryTrajectory) {
  const Workers workers;
  const OrderedSum sum(workers);
  ScriptedEvidence evidence({0.0, 0.0}, {0.0, 0.0});
  expect_throw([&] { PoisBound(evidence, {1.0}, {}, sum); }, "a value for every trajectory");
}

}  // namespace
}  // namespace retropg::test
