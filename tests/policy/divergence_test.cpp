// The divergence of a batch between two policies, against its definition.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr Index kTrajectories = 7;  // one and three quarter chunks

/// sum_t ||mu_theta - mu_other||^2 / (2 sigma^2) of each trajectory.
std::vector<double> by_definition(const Policy& policy, Parameters theta, Parameters other,
                                  const TrajectoryBatch& batch, double variance) {
  std::vector<double> sums(as_size(chunk_count(kTrajectories) * kChunk), 0.0), mean(1), other_mean(1);
  for (Index j = 0; j < batch.size(); ++j) {
    for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
      const auto observation = std::span(batch.observations).subspan(as_size(4 * t), 4);
      policy.mean(theta, observation, mean);
      policy.mean(other, observation, other_mean);
      const double shift = mean[0] - other_mean[0];
      sums[as_size(j)] += 0.5 * shift * shift / variance;
    }
  }
  return sums;
}

std::vector<double> divergences(const Evidence& evidence, Parameters theta, Parameters other) {
  std::vector<double> result(as_size(chunk_count(kTrajectories) * kChunk), -1.0);
  for (Index chunk = 0; chunk < 2; ++chunk) {
    as<DivergenceEvidence>(evidence).divergences(theta, other, chunk, chunk + 1, result.data() + chunk * kChunk);
  }
  return result;
}

class Divergence : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Divergence, IsTheSumOverTheStepsBetweenAnyTwoPolicies) {
  std::vector<std::string> settings = {"env.horizon=60", "policy.variance=0.4", "policy.bias=true"};
  settings.insert(settings.end(), GetParam().begin(), GetParam().end());
  const Configuration configuration = configured(settings);
  const EnvironmentDefinition environment = make_environment(configuration);
  const std::unique_ptr<Policy> policy = make_policy(configuration, environment);
  const Workers workers(1);
  Collector collector(environment, *policy, {.seed = 5}, workers);
  const auto numbers = [&](std::uint64_t seed) {
    RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap});
    std::vector<double> theta(as_size(policy->parameter_count()));
    for (double& parameter : theta) parameter = 0.3 * random.normal();
    return theta;
  };
  const std::vector<double> behavior = numbers(1), near = numbers(2), far = numbers(3);
  const auto evidence = collector.collect(behavior, 1, 0, kTrajectories).evidence;
  const TrajectoryBatch batch = collector.collect_steps(behavior, 1, 0, kTrajectories);
  for (const auto& [theta, other] : {std::pair(behavior, near), {near, behavior}, {near, far}}) {
    const std::vector<double> expected = by_definition(*policy, theta, other, batch, 0.4);
    const std::vector<double> found = divergences(*evidence, theta, other);
    for (std::size_t j = 0; j < found.size(); ++j) {
      EXPECT_EQ(expected[j] > 0.01, j < kTrajectories) << "the trajectories say something";
      EXPECT_NEAR(found[j], expected[j], 1e-11 * expected[j]);
    }
  }
  for (const auto& theta : {behavior, near}) {
    EXPECT_EQ(divergences(*evidence, theta, theta), std::vector<double>(8, 0.0)) << "exactly";
  }
  // For Gaussians of equal variance it is half of log d_2.
  std::vector<double> log_ratio(8), renyi(8);
  evidence->compare(near, 2.0, 0, 2, log_ratio.data(), renyi.data(), nullptr);
  const std::vector<double> found = divergences(*evidence, behavior, near);
  for (std::size_t j = 0; j < 8; ++j) EXPECT_NEAR(found[j], 0.5 * renyi[j], 1e-11 * renyi[j]);
}

INSTANTIATE_TEST_SUITE_P(CartPole, Divergence,
                         testing::Values(std::vector<std::string>{"policy.evidence=moments"},
                                         std::vector<std::string>{"policy.evidence=steps"},
                                         std::vector<std::string>{"policy.kind=mlp-gaussian", "policy.hidden=[8]",
                                                                  "policy.action_shift=[0.1]",
                                                                  "policy.action_scale=[2]"}));

}  // namespace
}  // namespace retropg::test
