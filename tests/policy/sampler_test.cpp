#include "retropg/policy/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "support/bits.hpp"
#include "support/collecting.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

const StreamName kStream{.seed = 5, .purpose = Purpose::kActionNoise, .iteration = 2, .trajectory = 3};
const std::vector<double> kVariance = {0.25, 4.0};

std::vector<std::shared_ptr<const Policy>> drawing_actions() {
  return {linear_gaussian({.observation_size = 3,
                           .action_size = 2,
                           .variance = kVariance,
                           .bias = true,
                           .shift = {0.5, -1.0, 2.0},
                           .scale = {2.0, 0.1, -1.5}}),
          mlp_gaussian({.observation_size = 3, .action_size = 2, .hidden = {5}, .bias = true, .variance = kVariance})};
}

std::vector<double> some_parameters(const Policy& policy) {
  return random_numbers(policy.parameter_count(), 0.7, 1);
}

TEST(Sampler, AddsASpreadDeviationTimesTheNumbersOfItsStreamToTheMean) {
  for (const auto& policy : drawing_actions()) {
    const std::vector<double> theta = some_parameters(*policy);
    for (const double spread : {1.0, 1.7}) {
      Sampler sampler = policy->sample(theta, RandomStream(kStream), spread);
      RandomStream random(kStream);
      for (std::uint64_t t = 0; t < 9; ++t) {
        const std::vector<double> observation = random_numbers(3, 1.0, 10 + t);
        std::vector<double> mean(2);
        policy->mean(theta, observation, mean);
        const std::span<const double> action = sampler.act(observation);
        ASSERT_EQ(action.size(), 2U);
        for (std::size_t u = 0; u < 2; ++u) {
          EXPECT_NEAR(action[u], mean[u] + spread * std::sqrt(kVariance[u]) * random.normal(), 1e-13) << "step " << t;
        }
      }
      EXPECT_TRUE(sampler.parameters().empty());
    }
  }
}

TEST(Sampler, KeepsItsOwnParametersAndStream) {
  const auto policy = drawing_actions().front();
  std::vector<double> theta = some_parameters(*policy);
  const std::vector<double> observation = {0.1, 0.2, 0.3};
  RandomStream random(kStream);
  Sampler sampler = policy->sample(theta, random), same = policy->sample(theta, random);
  std::ranges::fill(theta, 1e6);
  random.normal();
  Sampler moved = std::move(sampler);
  for (int t = 0; t < 3; ++t) EXPECT_EQ(bits(moved.act(observation)), bits(same.act(observation)));
  EXPECT_LT(std::abs(same.act(observation)[0]), 100.0);
}

// A plant that answers with a sampler gives the trajectories that a collector would have simulated.
TEST(Sampler, ActsAsTheCollectorDoesWithTheSameStream) {
  for (const Problem& problem : {cart_pole_problem(), noisy_problem(), scaled_problem()}) {
    const auto policy = problem.policy();
    const Request request{.seed = 8, .iteration = 4, .first = 2, .count = 6};
    const TrajectoryBatch batch = collect_steps(problem, request);
    for (Index j = 0; j < batch.size(); ++j) {
      Sampler sampler =
          policy->sample(problem.theta, RandomStream(stream_name(request, Purpose::kActionNoise, request.first + j)));
      for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
        const std::span<const double> action = sampler.act(reference::observation(batch, t));
        for (std::size_t u = 0; u < action.size(); ++u) {
          ASSERT_NEAR(action[u], reference::action(batch, t)[u], 1e-13) << "trajectory " << j;
        }
      }
    }
  }
}

TEST(Sampler, OfAHyperpolicyActsWithTheParametersItHandsOut) {
  for (const auto& inner : drawing_actions()) {
    const auto policy = hyperpolicy(inner, {.variance = {0.3}, .learn_deviation = true});
    const std::vector<double> xi = policy->initial_parameters(2);
    const auto d = as_size(inner->parameter_count());
    TrajectoryBatch batch{.observation_size = 3, .action_size = 2};
    for (std::uint32_t j = 0; j < 3; ++j) {
      const StreamName name{.seed = 5, .purpose = Purpose::kSampledParameters, .trajectory = j};
      RandomStream random(name);
      EXPECT_EQ(bits(policy->sample(xi, RandomStream(name), 0.0).parameters()), bits(std::span(xi).first(d)));
      Sampler sampler = policy->sample(xi, RandomStream(name));
      const std::vector<double> drawn(sampler.parameters().begin(), sampler.parameters().end());
      ASSERT_EQ(drawn.size(), d);
      for (std::size_t i = 0; i < d; ++i) EXPECT_NEAR(drawn[i], xi[i] + std::sqrt(0.3) * random.normal(), 1e-14);
      for (std::uint64_t t = 0; t < 4; ++t) {
        const std::vector<double> observation = random_numbers(3, 1.0, 10 + t);
        std::vector<double> expected(2);
        inner->mean(drawn, observation, expected);
        const std::span<const double> action = sampler.act(observation);
        for (std::size_t u = 0; u < 2; ++u) EXPECT_NEAR(action[u], expected[u], 1e-13);
        batch.add(observation, action, 1.0);
      }
      batch.close();
      EXPECT_EQ(bits(sampler.parameters()), bits(drawn)) << "one draw for the whole trajectory";
      batch.sampled.insert(batch.sampled.end(), drawn.begin(), drawn.end());
    }
    ASSERT_NO_THROW(check(batch, 3, 2, 4));
    // The trajectory's likelihood is that of the draw.
    std::vector<double> moved = xi;
    moved[0] += 0.4;
    const std::vector<double> ratio =
        ask(*policy->digest(xi, batch, 1.0, Credit::kReturn), moved, std::vector<double>(3, 1.0)).log_ratio;
    for (std::size_t j = 0; j < 3; ++j) {
      const double residual = batch.sampled[j * d] - xi[0];
      EXPECT_NEAR(ratio[j], (residual * residual - (residual - 0.4) * (residual - 0.4)) / (2.0 * 0.3), 1e-12);
    }
  }
}

TEST(Sampler, GivesTrajectoriesThatCountWithTheLikelihoodTheyWereDrawnWith) {
  const LinearGaussianOptions options{.observation_size = 2, .action_size = 2, .variance = kVariance};
  const auto policy = linear_gaussian(options);
  const std::vector<double> theta = random_numbers(4, 0.5, 1), other = random_numbers(4, 0.5, 2);
  TrajectoryBatch batch{.observation_size = 2, .action_size = 2};
  Sampler sampler = policy->sample(theta, RandomStream(kStream));
  for (std::uint64_t t = 0; t < 6; ++t) {
    const std::vector<double> observation = random_numbers(2, 1.0, 20 + t);
    batch.add(observation, sampler.act(observation), 1.0);
  }
  batch.close();
  const Answers answers = ask(*policy->digest(theta, batch, 1.0, Credit::kRewardToGo), other, std::vector{1.0});
  const double expected =
      reference::log_likelihood(options, other, batch, 0) - reference::log_likelihood(options, theta, batch, 0);
  EXPECT_NEAR(answers.log_ratio[0], expected, 1e-11);
}

TEST(Sampler, RefusesOtherSizes) {
  for (const auto& policy : drawing_actions()) {
    const std::vector<double> theta = some_parameters(*policy);
    Sampler sampler = policy->sample(theta, RandomStream(kStream));
    for (const std::size_t size : {0U, 2U, 4U}) {
      expect_throw([&] { sampler.act(std::vector<double>(size)); },
                   "the policy expects 3 observations, not " + std::to_string(size));
    }
    expect_throw([&] { policy->sample(std::span(theta).first(2), RandomStream(kStream)); },
                 "the policy has " + std::to_string(theta.size()) + " parameters, not 2");
  }
}

}  // namespace
}  // namespace retropg::test
