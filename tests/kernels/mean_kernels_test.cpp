#include "retropg/kernels/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/bits.hpp"
#include "support/dense_sizes.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

using kernels::padded_units;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Means, actions and behavior means of some steps; the latter two share rows, as in the evidence.
struct Means {
  Means(std::size_t steps_, std::size_t actions_)
      : steps(steps_),
        actions(actions_),
        width(padded_units(actions_)),
        stride(3 + 2 * width),
        mean(uniform_numbers(steps_ * width, -2.0, 2.0, 7)),
        rows(uniform_numbers(steps_ * stride, -2.0, 2.0, 8)),
        precision(uniform_numbers(actions_, 0.5, 20.0, 9)),
        factor(uniform_numbers(steps_, -3.0, 3.0, 10)) {
    precision.resize(width, 0.0);
  }

  const double* action() const { return rows.data() + 3; }
  const double* behavior() const { return rows.data() + 3 + width; }
  double mean_at(std::size_t t, std::size_t w) const { return mean[t * width + w]; }
  double action_at(std::size_t t, std::size_t w) const { return action()[t * stride + w]; }
  double behavior_at(std::size_t t, std::size_t w) const { return behavior()[t * stride + w]; }

  /// Ratios, then distances, added to 0.25 and 0.5.
  std::vector<double> compare(std::size_t first, std::size_t last) const {
    std::vector<double> sums(width, 0.25);
    sums.resize(2 * width, 0.5);
    compare(first, last, sums);
    return sums;
  }
  void compare(std::size_t first, std::size_t last, std::vector<double>& sums) const {
    kernels::compare_means(last - first, width, mean.data() + first * width, width, action() + first * stride,
                           behavior() + first * stride, stride, precision.data(), sums.data(), sums.data() + width);
  }

  std::vector<double> cotangent() const {
    std::vector<double> delta(steps * width + kGuard, kNan);
    kernels::mean_cotangent(steps, width, mean.data(), action(), stride, factor.data(), precision.data(), delta.data());
    for (std::size_t i = steps * width; i < delta.size(); ++i) EXPECT_TRUE(std::isnan(delta[i])) << "past the end";
    delta.resize(steps * width);
    return delta;
  }

  std::size_t steps, actions, width, stride;
  std::vector<double> mean, rows, precision, factor;
};

TEST(CompareMeans, AddsLogRatiosAndDistances) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t actions : kSizes) {
      for (const std::size_t steps : kSteps) {
        const Means means(steps, actions);
        const std::vector<double> sums = means.compare(0, steps);
        for (std::size_t w = 0; w < means.width; ++w) {
          // From the densities: ((a - mu_b)^2 - (a - mu)^2) / (2 sigma^2).
          long double ratio = 0.25, distance = 0.5, scale = 1.0;
          for (std::size_t t = 0; t < steps; ++t) {
            const long double a = means.action_at(t, w), mu = means.mean_at(t, w), mu_b = means.behavior_at(t, w);
            const long double precision = means.precision[w];
            ratio += ((a - mu_b) * (a - mu_b) - (a - mu) * (a - mu)) * precision / 2.0L;
            distance += (mu - mu_b) * (mu - mu_b) * precision;
            scale += 16.0L * precision;  // no term and no part of one is larger
          }
          // a handful of roundings a step, each half a unit of at most `scale`
          const auto tolerance = static_cast<double>(scale) * kUlp * (4.0 + static_cast<double>(steps));
          ASSERT_NEAR(sums[w], static_cast<double>(ratio), tolerance) << target << ", " << steps << " steps";
          ASSERT_NEAR(sums[means.width + w], static_cast<double>(distance), tolerance) << target;
          if (w >= actions) {
            EXPECT_EQ(sums[w], 0.25) << "padding has precision 0";
            EXPECT_EQ(sums[means.width + w], 0.5) << "padding has precision 0";
          }
        }
      }
    }
  }
}

TEST(CompareMeans, EqualMeansGiveZeroToTheLastBit) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    Means means(9, 6);
    for (std::size_t t = 0; t < 9; ++t) {
      for (std::size_t w = 0; w < means.width; ++w) means.mean[t * means.width + w] = means.behavior_at(t, w);
    }
    std::vector<double> sums(2 * means.width, 0.0);
    means.compare(0, 9, sums);
    EXPECT_EQ(bits(sums), bits(std::vector<double>(sums.size(), 0.0))) << target;
  }
}

TEST(CompareMeans, IsTheSameForAnySplitOfTheStepsAndFusedTarget) {
  for (const std::size_t actions : kSizes) {
    const Means means(65, actions);
    std::vector<std::vector<std::uint64_t>> of_targets;
    for (const std::string& target : kernels::available_targets()) {
      const ForcedTarget forced(target);
      const std::vector<double> whole = means.compare(0, 65);
      for (const std::size_t cut : {1, 6, 64}) {
        std::vector<double> sums = means.compare(0, cut);
        means.compare(cut, 65, sums);
        EXPECT_EQ(bits(sums), bits(whole)) << target << ", cut at " << cut;
      }
    }
    for (const std::string& target : fused_targets()) {
      const ForcedTarget forced(target);
      of_targets.push_back(bits(means.compare(0, 65)));
      EXPECT_EQ(of_targets.back(), of_targets.front()) << target;
    }
  }
}

TEST(MeanCotangent, IsTheFactorTimesTheScaledResidual) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t actions : kSizes) {
      for (const std::size_t steps : kSteps) {
        const Means means(steps, actions);
        const std::vector<double> delta = means.cotangent();
        for (std::size_t t = 0; t < steps; ++t) {
          for (std::size_t w = 0; w < means.width; ++w) {
            const double expected =
                means.factor[t] * (means.action_at(t, w) - means.mean_at(t, w)) * means.precision[w];
            // three roundings, here and there
            ASSERT_NEAR(delta[t * means.width + w], expected, 4.0 * kUlp * std::abs(expected)) << target;
            ASSERT_TRUE(w < actions || delta[t * means.width + w] == 0.0) << "padding must stay 0 for the way back";
          }
        }
      }
    }
  }
}

TEST(MeanCotangent, DoesNotDependOnTheTargetNorOnTheNumberOfSteps) {
  for (const std::size_t actions : kSizes) {
    const Means means(65, actions);
    const std::vector<double> together = means.cotangent();
    for (const std::string& target : kernels::available_targets()) {  // no sum: nothing to fuse
      const ForcedTarget forced(target);
      EXPECT_EQ(bits(means.cotangent()), bits(together)) << target;
      for (std::size_t t = 0; t < 65; ++t) {
        std::vector<double> alone(means.width);
        kernels::mean_cotangent(1, means.width, means.mean.data() + t * means.width, means.action() + t * means.stride,
                                means.stride, means.factor.data() + t, means.precision.data(), alone.data());
        ASSERT_EQ(bits(alone), bits(std::span(together).subspan(t * means.width, means.width))) << target;
      }
    }
  }
}

}  // namespace
}  // namespace retropg::test
