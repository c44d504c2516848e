// The gradient with learned deviations against the bandit's closed form. Every check allows 4.5 standard errors, so
// that sound code fails one of them once in 150,000 seeds, and says beside it how small the standard error is.
#include <gtest/gtest.h>

#include <cmath>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/bandit.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/evidence_answers.hpp"

namespace retropg::test {
namespace {

/// (dJ / d theta, dJ / d log sigma): with v = width^2 + sigma^2 and the distance d from the target, dJ / d sigma^2 is
/// J (d^2 / v - 1) / (2 v).
std::vector<double> exact_gradient(const BanditOptions& options, Parameters theta) {
  const double variance = std::exp(2.0 * theta[1]), v = options.width * options.width + variance;
  const ExactGradient exact = gaussian_bandit_exact(options, theta[0], variance);
  const double distance = theta[0] - options.target;
  return {exact.gradient[0], exact.value * variance * (distance * distance / v - 1.0) / v};
}

TEST(LearnedDeviationGradient, IsThatOfTheExpectedReturnOnAndOffThePolicy) {
  constexpr Index kTrajectories = 100000;
  const BanditOptions options{.target = 2.2, .width = 0.6};
  const auto policy = linear_gaussian({.observation_size = 1, .action_size = 1, .learn_deviation = true});
  const std::vector<double> behavior = {0.4, std::log(0.9)};
  const Workers workers;
  Collector collector(gaussian_bandit(options), *policy, {.seed = 23}, workers);
  const auto evidence = collector.collect(behavior, 1, 0, kTrajectories).evidence;
  for (const std::vector<double>& theta :
       {behavior, {0.6, std::log(0.8)}, {0.3, std::log(1.0)}, {1.4, std::log(0.7)}}) {
    const std::vector<double> expected = exact_gradient(options, theta);
    const std::vector<double> log_ratio = ask(*evidence, theta, {}).log_ratio;
    std::vector<std::vector<double>> gradients(2);
    for (std::size_t lane = 0; lane < kChunk; ++lane) {  // one trajectory of every chunk at a time
      std::vector<double> weights(as_size(kTrajectories), 0.0);
      for (std::size_t j = lane; j < weights.size(); j += kChunk) weights[j] = std::exp(log_ratio[j]);
      const std::vector<double> rows = ask(*evidence, theta, weights).rows;
      for (std::size_t i = 0; i < rows.size(); ++i) gradients[i % 2].push_back(rows[i]);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const double error = standard_deviation(gradients[i]) / std::sqrt(static_cast<double>(kTrajectories));
      EXPECT_NEAR(mean(gradients[i]), expected[i], 4.5 * error) << "parameter " << i << " at " << theta[0];
      EXPECT_LT(error, 0.008);
    }
    EXPECT_GT(std::abs(expected[1]), 0.05) << "the sign of the second one shows";
  }
}

}  // namespace
}  // namespace retropg::test
