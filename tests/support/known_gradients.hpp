#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/bandit.hpp"
#include "retropg/environment/linear_quadratic.hpp"
#include "support/laboratory.hpp"

namespace retropg::test {

/// Problems whose gradient is known, and means of repeated estimates. Every check allows 4.5 standard errors, so that
/// sound code fails one of them once in 150,000 seeds, and says beside it how small the standard error is: a bias of
/// ten standard errors is seen at practically every seed.
inline constexpr double kStandardErrors = 4.5;

/// Independent draws of one number.
struct Sample {
  std::vector<double> values;

  double mean() const { return retropg::mean(values); }
  double standard_error() const { return standard_deviation(values) / std::sqrt(static_cast<double>(values.size())); }
};

inline void expect_mean(const Sample& sample, double expected, double largest_standard_error, const std::string& what) {
  EXPECT_NEAR(sample.mean(), expected, kStandardErrors * sample.standard_error()) << what;
  EXPECT_LT(sample.standard_error(), largest_standard_error) << what;
}

/// Calls draw(r) for r = 0, 1, ... and gives one sample for each number it returns.
template <typename Draw>
std::vector<Sample> repeat(Index repetitions, const Draw& draw) {
  std::vector<Sample> samples;
  for (Index r = 0; r < repetitions; ++r) {
    const std::vector<double> values = draw(r);
    samples.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) samples[i].values.push_back(values[i]);
  }
  return samples;
}

/// A problem with a known gradient: a target and behaviors, all fixed in advance.
struct Problem {
  std::string name;
  EnvironmentDefinition environment;
  double variance;
  std::vector<double> target;
  std::vector<std::vector<double>> behaviors;
  std::vector<double> gradient;  // at the target

  Laboratory laboratory(std::uint64_t seed, EvidenceKind evidence = EvidenceKind::kMoments) const {
    return Laboratory(environment, {.variance = {variance}, .evidence = evidence}, seed);
  }
};

inline Problem bandit() {
  return {.name = "bandit",
          .environment = gaussian_bandit(),
          .variance = 1.0,
          .target = {0.3},
          .behaviors = {{0.0}, {-0.2}, {0.5}},
          .gradient = gaussian_bandit_exact({}, 0.3, 1.0).gradient};
}

inline Problem regulator() {
  const LinearQuadraticOptions options{.process_noise = 0.1};
  Problem problem{.name = "regulator",
                  .environment = linear_quadratic(options),
                  .variance = 0.3,
                  .target = {-0.5, -0.3},
                  .behaviors = {{-0.6, -0.3}, {-0.4, -0.4}, {-0.5, -0.1}},
                  .gradient = {}};
  problem.environment.horizon = 8;
  problem.environment.discount = 0.95;
  problem.gradient = linear_quadratic_exact(options, problem.target, std::vector{0.3}, 8, 0.95).gradient;
  return problem;
}

inline void expect_unbiased(const std::vector<Sample>& samples, const Problem& problem, double precision) {
  for (std::size_t i = 0; i < problem.gradient.size(); ++i) {
    expect_mean(samples[i], problem.gradient[i], precision * norm(problem.gradient), problem.name);
  }
}

}  // namespace retropg::test
