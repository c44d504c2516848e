#include "retropg/estimator/nes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "retropg/reuse/rank_utilities.hpp"
#include "support/expect_throw.hpp"
#include "support/nes_strategy.hpp"

namespace retropg::test {
namespace {

/// The step from its definition, without a leap, for draws with their behaviors; all arguments in the order of the
/// draws.
std::vector<double> expected_step(const std::vector<double>& xi, const std::vector<std::vector<double>>& draws,
                                  const std::vector<double>& c, const NesOptions& options) {
  std::vector<double> values;
  for (const std::vector<double>& theta : draws) values.push_back(reward(theta));
  const double total = std::accumulate(c.begin(), c.end(), 0.0);
  std::vector<double> w, v;
  for (const double weight : c) w.push_back(weight / total);
  double sum = 0.0, squares = 0.0, weight_squares = 0.0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    double p = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j)
      p += values[j] > values[i] ? w[j] : values[j] == values[i] ? 0.5 * w[j] : 0.0;
    v.push_back(std::max(0.0, std::log(0.5) - std::log(p)));
    sum += w[i] * v[i];
    squares += w[i] * v[i] * w[i] * v[i];
    weight_squares += w[i] * w[i];
  }
  const double n = std::min(sum * sum / squares, 1.0 / weight_squares);
  std::vector<double> g, h;
  double g2 = 0.0, noise = 0.0;
  for (std::size_t i = 0; i < w.size(); ++i) noise += std::pow(w[i] * (v[i] / sum - 1.0), 2);
  for (std::size_t k = 0; k < kParameters; ++k) {
    double mean = 0.0, deviation = 0.0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double u = v[i] / sum - 1.0, z = (draws[i][k] - xi[k]) / std::exp(xi[kParameters + k]);
      mean += w[i] * u * z;
      deviation += w[i] * u * (z * z - 1.0);
    }
    g.push_back(mean);
    h.push_back(deviation);
    g2 += mean * mean;
  }
  const double shrinkage = options.leaps_from > 0 ? std::max(0.0, 1.0 - (kParameters - 2) * noise / g2) : 1.0;
  const double of_means = shrinkage * options.gain * n / (n + options.mean_damping * kParameters);
  const double of_deviations = n / (n + options.deviation_damping * kParameters) * 0.5;
  std::vector<double> next = xi;
  for (std::size_t k = 0; k < kParameters; ++k) {
    next[k] += of_means * std::exp(xi[kParameters + k]) * g[k];
    next[kParameters + k] += std::clamp(of_deviations * h[k], -options.deviation_limit, options.deviation_limit);
  }
  return next;
}

void add_draws(std::vector<std::vector<double>>& draws, const TrajectoryBatch& batch) {
  for (Index j = 0; j < batch.size(); ++j) {
    const auto first = batch.sampled.begin() + j * kParameters;
    draws.emplace_back(first, first + kParameters);
  }
}

double density(const std::vector<double>& xi, const std::vector<double>& theta) {
  double log = 0.0;
  for (std::size_t i = 0; i < kParameters; ++i) {
    const double z = (theta[i] - xi[i]) / std::exp(xi[kParameters + i]);
    log -= 0.5 * z * z + xi[kParameters + i];
  }
  return std::exp(log);
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12) << "parameter " << i;
}

TEST(Nes, WithAWindowOfOneIsASeparableNesWithoutReuse) {
  const NesOptions options{.batch = 7, .window = 1, .mean_damping = 0.3, .deviation_damping = 2.0, .leaps_from = 0};
  Strategy strategy(options, {0.3, 0.6, 1.2});
  for (std::uint64_t k = 1; k <= 4; ++k) {
    const std::vector<double> before = strategy.xi();
    std::vector<std::vector<double>> draws;
    add_draws(draws, strategy.iterate(k, 7));
    expect_near(strategy.xi(), expected_step(before, draws, std::vector<double>(7, 1.0), options));
  }
}

TEST(Nes, ReusesDrawsWithTheBalanceHeuristicAndShrinksByNoise) {
  const NesOptions options{
      .batch = 5, .window = kFullReuse, .mean_damping = 0.1, .deviation_damping = 1.0, .leaps_from = 1};
  Strategy strategy(options);
  std::vector<std::vector<double>> draws, behaviors;
  for (std::uint64_t k = 1; k <= 4; ++k) {
    const std::vector<double> before = strategy.xi();
    behaviors.push_back(before);
    add_draws(draws, strategy.iterate(k, 5));
    std::vector<double> c;
    for (const std::vector<double>& theta : draws) {
      double mixture = 0.0;
      for (const std::vector<double>& behavior : behaviors) mixture += density(behavior, theta);
      c.push_back(density(before, theta) / mixture);
    }
    expect_near(strategy.xi(), expected_step(before, draws, c, options));
  }
}

/// The exponentiated Renyi divergence of order 2 of independent Gaussians; infinite if a denominator is not positive.
double divergence(const std::vector<double>& xi, const std::vector<double>& behavior) {
  double log = 0.0;
  for (std::size_t i = 0; i < kParameters; ++i) {
    const double variance = std::exp(2.0 * xi[kParameters + i]), other = std::exp(2.0 * behavior[kParameters + i]);
    const double mixed = 2.0 * other - variance, distance = xi[i] - behavior[i];
    if (mixed <= 0.0) return std::numeric_limits<double>::infinity();
    log += std::log(other) - 0.5 * std::log(variance * mixed) + distance * distance / mixed;
  }
  return std::exp(log);
}

TEST(Nes, ReusesDrawsWithThePowerMean) {
  constexpr double kConstant = 0.7;
  constexpr Index kBatch = 5;
  const NesOptions options{
      .batch = kBatch, .window = kFullReuse, .mean_damping = 0.1, .deviation_damping = 1.0, .leaps_from = 0};
  Strategy strategy(options, {0.5}, true, multiple_power_mean({.constant = kConstant}));
  std::vector<std::vector<double>> draws, behaviors;
  for (std::uint64_t k = 1; k <= 4; ++k) {
    const std::vector<double> before = strategy.xi();
    behaviors.push_back(before);
    add_draws(draws, strategy.iterate(k, kBatch));
    double total = 0.0;
    for (const std::vector<double>& behavior : behaviors) total += 1.0 / std::sqrt(divergence(before, behavior));
    std::vector<double> c;
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const std::vector<double>& behavior = behaviors[i / kBatch];
      const double d = divergence(before, behavior), alpha = 1.0 / std::sqrt(d) / total;
      const double lambda = std::sqrt(kConstant / (static_cast<double>(draws.size()) * d));
      const double inverse_ratio = density(behavior, draws[i]) / density(before, draws[i]);
      c.push_back(alpha / kBatch / ((1.0 - lambda) * inverse_ratio + lambda));
    }
    expect_near(strategy.xi(), expected_step(before, draws, c, options));
  }
}

TEST(Nes, LeavesFixedDeviationsAlone) {
  Strategy strategy({.batch = 6, .window = 3}, {0.5}, false);
  const std::vector<double> before = strategy.xi();
  strategy.iterate(1, 6);
  EXPECT_EQ(strategy.xi().size(), as_size(kParameters));
  EXPECT_NE(strategy.xi(), before);
}

TEST(Nes, LimitsTheChangeOfDeviations) {
  Strategy strategy({.batch = 6, .window = 1, .deviation_damping = 0.0, .deviation_limit = 1e-3});
  const std::vector<double> before = strategy.xi();
  strategy.iterate(1, 6);
  double largest = 0.0;
  for (std::size_t i = kParameters; i < 2 * kParameters; ++i) {
    largest = std::max(largest, std::abs(strategy.xi()[i] - before[i]));
  }
  EXPECT_NEAR(largest, 1e-3, 1e-15) << "the limit is reached";
}

/// A good draw from a mean that has since moved away has a weight near 0, but all of the utility: the only fresh draw
/// is no better than itself.
TEST(Nes, MovesTheMeanNoFartherThanItDraws) {
  Strategy strategy({.batch = 1, .leaps_from = 0, .recombine_from = 0}, {1.0});
  strategy.answer({{1.0, 2.0, 3.0}}, 0.0);
  ASSERT_EQ(mean_of(strategy), std::vector<double>(kParameters, 0.0)) << "one draw alone moves nothing";
  std::vector<double> far(2 * kParameters, 0.0);
  far[0] = 21.0;
  strategy.set_xi(far);
  strategy.answer({{21.0, 0.0, 0.0}}, 0.0);
  double squares = 0.0;
  for (std::size_t i = 0; i < kParameters; ++i) squares += std::pow(strategy.xi()[i] - far[i], 2);
  EXPECT_NEAR(std::sqrt(squares), std::sqrt(3.0) + 3.0, 1e-9);
  EXPECT_LT(strategy.xi()[0], far[0]) << "toward the good draw";
}

TEST(Nes, FindsTheMaximumOfAQuadratic) {
  Strategy strategy({.batch = 4, .window = kFullReuse, .mean_damping = 0.05, .deviation_damping = 8.0});
  const double start = reward(Parameters(strategy.xi()).first(kParameters));
  for (std::uint64_t k = 1; k <= 60; ++k) strategy.iterate(k, 4);
  EXPECT_GT(reward(Parameters(strategy.xi()).first(kParameters)), 0.05 * start);
}

TEST(Nes, RefusesWhatItCannotUse) {
  const auto policy = hyperpolicy(linear_inner(2), {});
  expect_throw([&] { nes(*policy, 3, {}, balance_heuristic()); }, "nes needs a hyperpolicy");
  expect_throw([&] { nes(*policy, 2, {.mean_damping = -1.0}, balance_heuristic()); }, "must not be negative");
}

}  // namespace
}  // namespace retropg::test
