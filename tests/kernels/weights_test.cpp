#include "retropg/kernels/weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/bits.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The vector exponential is good to one unit in the last place, but its argument is a sum that was rounded before: an
// error of half a unit of the largest term, which the exponential turns into a relative error of that size.
double relative_tolerance(double largest_term) {
  return 4e-16 * (2.0 + std::abs(largest_term));
}

void expect_relative(double got, long double expected, double tolerance) {
  // Below 2^-1022 numbers lose digits one by one.
  EXPECT_NEAR(got, static_cast<double>(expected), tolerance * static_cast<double>(std::abs(expected)) + 1e-323);
}

std::vector<double> exp_affine(const std::vector<double>& x, double scale, double cap, double shift) {
  std::vector<double> out(x.size());
  kernels::exp_affine(x.size(), x.data(), scale, cap, shift, 1.0, out.data());
  return out;
}

struct PowerMean {
  double log_scale, lambda;
};

std::vector<double> power_mean(const std::vector<double>& log_ratio, double log_scale, double log_lambda) {
  std::vector<double> out(log_ratio.size());
  kernels::power_mean(log_ratio.size(), log_ratio.data(), log_scale, std::exp(log_scale), log_lambda,
                      std::log1p(-std::exp(log_lambda)), out.data());
  return out;
}

/// e^{log_scale} / ((1 - lambda) e^{-log_ratio} + lambda), in long double, which reaches e^{+-11000}.
long double power_mean_reference(double log_ratio, double log_scale, double lambda) {
  const long double r = log_ratio, s = log_scale, l = lambda;
  return std::exp(s) / ((1.0L - l) * std::exp(-r) + l);
}

/// p_target / sum_l n_l p_l of one column, in long double after the largest logarithm has been taken out.
long double balance_reference(const std::vector<double>& logs, const std::vector<double>& log_sizes, double target) {
  long double high = -kInfinity, sum = 0.0;
  for (std::size_t l = 0; l < logs.size(); ++l) high = std::max(high, static_cast<long double>(logs[l]));
  for (std::size_t l = 0; l < logs.size(); ++l)
    sum += std::exp(static_cast<long double>(log_sizes[l]) + logs[l] - high);
  return std::exp(static_cast<long double>(target) - high) / sum;
}

/// Rows of log-densities, one per policy.
struct Mixture {
  std::vector<std::vector<double>> rows;
  std::vector<double> sizes;

  std::vector<double> log_sizes() const {
    std::vector<double> logs;
    for (const double size : sizes) logs.push_back(std::log(size));
    return logs;
  }
  std::vector<double> balance(std::size_t target) const {
    std::vector<const double*> pointers;
    for (const auto& row : rows) pointers.push_back(row.data());
    std::vector<double> out(rows[0].size());
    kernels::balance(out.size(), rows.size(), pointers.data(), sizes.data(), rows[target].data(), out.data());
    return out;
  }
};

TEST(ExpAffine, IsTheExponentialOfTheScaledAndShiftedNumber) {
  const std::vector<double> x = uniform_numbers(100, -200.0, 200.0, 1);
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const double scale : {1.0, 2.0, -0.5}) {
      const std::vector<double> out = exp_affine(x, scale, kInfinity, -3.5);
      for (std::size_t i = 0; i < x.size(); ++i) {
        expect_relative(out[i], std::exp(static_cast<long double>(scale) * x[i] - 3.5L),
                        relative_tolerance(scale * x[i]));
      }
    }
  }
}

TEST(ExpAffine, CapsTheExponentBeforeItShifts) {
  const std::vector<double> x{299.0, 300.0, 301.0, 1e300, 150.0, 150.5, -1e300, 0.0};
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const std::vector<double> out = exp_affine(x, 1.0, 300.0, -4.0);
    expect_relative(out[0], std::exp(295.0L), relative_tolerance(300.0));
    for (const std::size_t i : {1u, 2u, 3u}) expect_relative(out[i], std::exp(296.0L), relative_tolerance(300.0));
    EXPECT_EQ(out[6], 0.0);
    const std::vector<double> doubled = exp_affine(x, 2.0, 300.0, -4.0);  // the cap is on scale times x
    expect_relative(doubled[4], std::exp(296.0L), relative_tolerance(300.0));
    EXPECT_EQ(doubled[5], doubled[4]);
    expect_relative(doubled[7], std::exp(-4.0L), relative_tolerance(4.0));
  }
}

TEST(ExpAffine, FallsToZeroThroughTheSmallestNumbers) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const std::vector<double> out = exp_affine({-700.0, -744.0, -800.0, -kInfinity}, 1.0, 300.0, 0.0);
    expect_relative(out[0], std::exp(-700.0L), relative_tolerance(700.0));
    EXPECT_NEAR(out[1], 1e-323, 1e-323);
    EXPECT_EQ(out[2], 0.0);
    EXPECT_EQ(out[3], 0.0);
  }
}

TEST(PowerMean, EqualsItsFormula) {
  std::vector<double> log_ratio = uniform_numbers(100, -40.0, 40.0, 2);
  for (const double edge : {0.0, -700.0, 600.0, 1e-300}) log_ratio.push_back(edge);
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const PowerMean c : {PowerMean{0.0, 0.3}, {-4.0, 0.01}, {-700.0, 1e-12}, {-1.0, 1.0 - 1e-10}, {2.0, 1e-300}}) {
      const std::vector<double> out = power_mean(log_ratio, c.log_scale, std::log(c.lambda));
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double largest = std::max({std::abs(log_ratio[i]), std::abs(c.log_scale), -std::log(c.lambda)});
        // log1p(-e^{log lambda}) of a lambda near 1 keeps the digits that the logarithm of lambda has: 1e-16 / 1e-10.
        const double lost = c.lambda > 0.5 ? 4e-16 / (1.0 - c.lambda) : 0.0;
        expect_relative(out[i], power_mean_reference(log_ratio[i], c.log_scale, c.lambda),
                        relative_tolerance(3.0 * largest) + lost);
      }
    }
  }
}

TEST(PowerMean, IsThePlainRatioWithoutCorrection) {
  const std::vector<double> log_ratio{-600.0, -1.5, 0.0, 1e-17, 0.25, 13.0, 300.0, 600.0};
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const std::vector<double> out = power_mean(log_ratio, -2.0, -kInfinity);  // lambda = 0
    for (std::size_t i = 0; i < out.size(); ++i) {
      expect_relative(out[i], std::exp(static_cast<long double>(log_ratio[i]) - 2.0L),
                      relative_tolerance(log_ratio[i]));
    }
  }
}

TEST(PowerMean, DoesNotWrapAroundWithoutCorrection) {
  // Infinite or saturated, but never small: the vector exponential alone returns 0 for 1500 and 7e69 for 3000.
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const double weight : power_mean({800.0, 1500.0, 3000.0, 1e6}, 0.0, -kInfinity)) {  // lambda = 0
      EXPECT_GE(weight, std::exp(300.0)) << target;
    }
  }
}

TEST(PowerMean, IgnoresTheRatioWithFullCorrection) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const double weight : power_mean({-5000.0, -1.0, 3.0, 5000.0}, -2.0, 0.0)) {  // lambda = 1
      expect_relative(weight, std::exp(-2.0L), relative_tolerance(2.0));
    }
  }
}

TEST(PowerMean, IsExactlyTheScaleAtRatioOne) {
  // 1 / ((1 - lambda) + lambda): fresh trajectories weigh 1 whatever lambda, to the rounding of two logarithms.
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const double lambda : {0.5, 0.1, 1e-8, 1e-300}) {
      for (const double weight : power_mean(std::vector(4, 0.0), 0.0, std::log(lambda)))
        EXPECT_NEAR(weight, 1.0, 1e-15);
    }
  }
}

TEST(PowerMean, IsAtMostOneOverLambda) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const double weight : power_mean({50.0, 100.0, 1000.0, 1e300}, 0.0, std::log(0.05))) {  // e^-50 is 2e-22
      EXPECT_NEAR(weight, 20.0, 20.0 * relative_tolerance(std::log(0.05)));
    }
  }
}

TEST(PowerMean, IsFiniteWhereItsFactorsAreNot) {
  // N = 1, omega = 10 and log d = 5000: alpha = e^-2500, lambda = e^-2500 / sqrt(10), and a weight of up to 1 / lambda.
  // alpha times 1 / lambda is 0 times infinity, the one exponential of their sum sqrt(10).
  constexpr double kHalfLogD = 2500.0;
  const double log_lambda = -kHalfLogD - 0.5 * std::log(10.0);
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const std::vector<double> out = power_mean({6000.0, 2600.0, 0.0, -6000.0}, -kHalfLogD, log_lambda);
    expect_relative(out[0], std::sqrt(10.0L), relative_tolerance(kHalfLogD));
    expect_relative(out[1], std::sqrt(10.0L), relative_tolerance(kHalfLogD));
    EXPECT_EQ(out[2], 0.0);
    EXPECT_EQ(out[3], 0.0);
    // Where both parts of the denominator count: (1 - lambda) e^-r = lambda.
    const std::vector<double> halved = power_mean(std::vector(4, -log_lambda), -kHalfLogD, log_lambda);
    expect_relative(halved[0], 0.5L * std::sqrt(10.0L), relative_tolerance(kHalfLogD));
  }
}

TEST(Balance, EqualsItsFormula) {
  const Mixture mixture{.rows = {uniform_numbers(100, -30.0, 30.0, 3), uniform_numbers(100, -30.0, 30.0, 4),
                                 uniform_numbers(100, -30.0, 30.0, 5)},
                        .sizes = {1.0, 4.0, 17.0}};
  for (const std::string& name : kernels::available_targets()) {
    const ForcedTarget forced(name);
    for (const std::size_t target : {0u, 1u, 2u}) {
      const std::vector<double> out = mixture.balance(target);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::vector<double> logs{mixture.rows[0][i], mixture.rows[1][i], mixture.rows[2][i]};
        expect_relative(out[i], balance_reference(logs, mixture.log_sizes(), logs[target]), relative_tolerance(60.0));
      }
    }
  }
}

TEST(Balance, SurvivesHugeLogarithmsOfEitherSign) {
  for (const std::string& name : kernels::available_targets()) {
    const ForcedTarget forced(name);
    for (const double shift : {-1e5, -5000.0, 5000.0}) {  // common to the column: it cancels
      const Mixture mixture{
          .rows = {std::vector(4, shift), std::vector(4, shift + 2.0), std::vector(4, shift - 3000.0)},
          .sizes = {5.0, 5.0, 5.0}};
      const long double sum = 5.0L * (1.0L + std::exp(2.0L));
      for (const double c : mixture.balance(0)) expect_relative(c, 1.0L / sum, relative_tolerance(shift));
      for (const double c : mixture.balance(1)) expect_relative(c, std::exp(2.0L) / sum, relative_tolerance(shift));
      for (const double c : mixture.balance(2)) EXPECT_EQ(c, 0.0);
    }
  }
}

TEST(Balance, OfEqualPoliciesIsOneOverTheirTrajectories) {
  for (const std::string& name : kernels::available_targets()) {
    const ForcedTarget forced(name);
    const Mixture mixture{.rows = std::vector(3, uniform_numbers(8, -900.0, 900.0, 6)), .sizes = {2.0, 3.0, 5.0}};
    for (const double c : mixture.balance(1)) EXPECT_NEAR(c, 0.1, 1e-15 * 90.0);  // the logarithms' last digits
    const Mixture single{.rows = {uniform_numbers(8, -900.0, 900.0, 7)}, .sizes = {4.0}};
    for (const double c : single.balance(0)) EXPECT_NEAR(c, 0.25, 1e-15 * 90.0);
  }
}

TEST(WeightKernels, NanStaysNan) {
  // A gradient that is not finite is skipped and counted; a weight made up from a NaN would hide it.
  const std::vector<double> nan(4, std::numeric_limits<double>::quiet_NaN());
  const Mixture mixture{.rows = {std::vector(4, 1.0), nan}, .sizes = {2.0, 2.0}};
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    EXPECT_TRUE(std::isnan(exp_affine(nan, 1.0, 300.0, 0.0)[0])) << target;
    EXPECT_TRUE(std::isnan(power_mean(nan, 0.0, std::log(0.3))[0])) << target;
    EXPECT_TRUE(std::isnan(power_mean(nan, 0.0, -kInfinity)[0])) << target;
    EXPECT_TRUE(std::isnan(mixture.balance(0)[0])) << target;
    EXPECT_TRUE(std::isnan(mixture.balance(1)[0])) << target;
  }
}

TEST(WeightKernels, DoNotDependOnTheTargetWhereItFusesNorOnThePosition) {
  const std::vector<double> x = uniform_numbers(60, -50.0, 50.0, 8), y = uniform_numbers(60, -50.0, 50.0, 9);
  const auto all = [](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> result = exp_affine(a, 2.0, 60.0, -1.0);
    for (const double w : power_mean(a, -1.0, std::log(0.01))) result.push_back(w);
    for (const double w : Mixture{.rows = {a, b}, .sizes = {3.0, 4.0}}.balance(1)) result.push_back(w);
    return result;
  };
  std::vector<std::vector<double>> of_targets;
  for (const std::string& target : fused_targets()) {
    const ForcedTarget forced(target);
    of_targets.push_back(all(x, y));
    EXPECT_EQ(bits(of_targets.back()), bits(of_targets.front())) << target;
    for (std::size_t i = 0; i < x.size(); ++i) {  // each number again, alone
      const std::vector<double> one = all(std::vector(4, x[i]), std::vector(4, y[i]));
      for (std::size_t kernel = 0; kernel < 3; ++kernel) {
        ASSERT_EQ(one[kernel * 4 + 2], of_targets.back()[kernel * x.size() + i]) << target;
      }
    }
  }
  if (of_targets.size() < 2) GTEST_SKIP() << "this CPU has fewer than two targets with fused multiply-add";
}

TEST(PowerMean, HasTheGivenValueWhereTheRatioIsExactlyOne) {
  const std::vector<double> log_ratio{0.0, -0.0, 1e-300, 0.0};
  std::vector<double> out(4);
  kernels::power_mean(4, log_ratio.data(), std::log(1.0 / 3.0), 1.0 / 3.0, std::log(0.3), std::log(0.7), out.data());
  EXPECT_EQ(out[0], 1.0 / 3.0);
  EXPECT_EQ(out[1], 1.0 / 3.0);
  EXPECT_NEAR(out[2], 1.0 / 3.0, 1e-15);
}

TEST(Balance, MixtureOfPoliciesThatExcludeATrajectoryStaysFinite) {
  const std::vector<double> never(4, -kInfinity), own(4, 0.0);
  std::vector<double> high = never, sum(4, 2.0), out(4);
  kernels::add_to_mixture(4, never.data(), 3.0, high.data(), sum.data());
  kernels::add_to_mixture(4, own.data(), 5.0, high.data(), sum.data());
  kernels::balance_mixture(4, high.data(), sum.data(), own.data(), out.data());
  for (const double c : out) EXPECT_EQ(c, 0.2);
}

TEST(Balance, FromAMixtureIsTheSameAsFromRows) {
  const std::vector<std::vector<double>> rows = {
      {0.0, -3.0, 500.0, 1.0}, {2.0, -800.0, 499.0, 1.0}, {-1.0, 5.0, -20.0, 1.0}};
  const std::vector<double> sizes{3.0, 10.0, 4.0};
  const Mixture mixture{rows, sizes};
  std::vector<double> high = rows[0], sum(4, sizes[0]), out(4);
  for (std::size_t l = 1; l < 3; ++l) kernels::add_to_mixture(4, rows[l].data(), sizes[l], high.data(), sum.data());
  for (std::size_t target = 0; target < 3; ++target) {
    kernels::balance_mixture(4, high.data(), sum.data(), rows[target].data(), out.data());
    const std::vector<double> expected = mixture.balance(target);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(out[i], expected[i], 1e-12 * expected[i]) << target << " " << i;
  }
}

}  // namespace
}  // namespace retropg::test
