#include "retropg/policy/linear_gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kUntouched = -77.0;

LinearGaussianOptions full() {
  return {.observation_size = 3,
          .action_size = 2,
          .variance = {0.25, 4.0},
          .bias = true,
          .shift = {0.5, -1.0, 2.0},
          .scale = {2.0, 0.1, -1.5}};
}

/// What an actor made of random rows in its first `active` lanes.
struct Acted {
  std::vector<double> observations, noise, actions, residuals;  // rows of `lanes` numbers
};

Acted act(const Policy& policy, Parameters theta, Index lanes, Index active) {
  Acted result{.observations = random_numbers(policy.observation_size() * lanes, 1.0, 1),
               .noise = random_numbers(policy.action_size() * lanes, 1.0, 2),
               .actions = std::vector<double>(as_size(policy.action_size() * lanes), kUntouched),
               .residuals = std::vector<double>(as_size(policy.action_size() * lanes), kUntouched)};
  std::vector<const double*> rows;
  for (Index u = 0; u < policy.action_size(); ++u) rows.push_back(result.noise.data() + u * lanes);
  policy.actor(lanes, Acting::kSample)
      ->act(theta, active, result.observations.data(), rows.data(), result.actions.data(), result.residuals.data());
  return result;
}

std::vector<double> lane_of(const std::vector<double>& rows, Index lanes, Index lane) {
  std::vector<double> result;
  for (std::size_t i = as_size(lane); i < rows.size(); i += as_size(lanes)) result.push_back(rows[i]);
  return result;
}

TEST(LinearGaussian, ActionsAreMeanPlusDeviationTimesNoise) {
  const std::vector<double> theta = random_numbers(8, 1.0, 3);
  for (const LinearGaussianOptions& options :
       {full(), LinearGaussianOptions{.observation_size = 4, .action_size = 2, .variance = {0.3}}}) {
    const auto policy = linear_gaussian(options);
    for (const Index lanes : {4, 8, 12, 32}) {
      const Acted acted = act(*policy, theta, lanes, lanes);
      for (Index lane = 0; lane < lanes; ++lane) {
        const std::vector<double> mean = reference::mean(options, theta, lane_of(acted.observations, lanes, lane));
        for (Index u = 0; u < 2; ++u) {
          const double sigma = std::sqrt(reference::variance(options, u));
          const double residual = sigma * acted.noise[as_size(u * lanes + lane)];
          // a dozen roundings, some of which a fused multiply-add leaves out
          EXPECT_NEAR(acted.actions[as_size(u * lanes + lane)], mean[as_size(u)] + residual, 1e-14);
          EXPECT_NEAR(acted.residuals[as_size(u * lanes + lane)], residual, 1e-14);
        }
      }
    }
  }
}

TEST(LinearGaussian, ActionOfALaneDependsNeitherOnItsPlaceNorOnTheNumberOfLanes) {
  const auto policy = linear_gaussian(full());
  const std::vector<double> theta = random_numbers(8, 1.0, 4);
  const std::vector<double> observation = {0.3, -0.7, 1.1};
  std::vector<double> expected;
  for (const Index lanes : {4, 8, 12, 64}) {
    for (Index lane = 0; lane < lanes; ++lane) {
      std::vector<double> observations(as_size(3 * lanes), 9.0), first(as_size(lanes), 0.0),
          second(as_size(lanes), 0.0);
      for (Index i = 0; i < 3; ++i) observations[as_size(i * lanes + lane)] = observation[as_size(i)];
      first[as_size(lane)] = 0.4;
      second[as_size(lane)] = -1.2;
      const std::vector<const double*> noise = {first.data(), second.data()};
      std::vector<double> actions(as_size(2 * lanes)), residuals(as_size(2 * lanes));
      policy->actor(lanes, Acting::kSample)
          ->act(theta, lanes, observations.data(), noise.data(), actions.data(), residuals.data());
      if (expected.empty()) expected = lane_of(actions, lanes, lane);
      EXPECT_EQ(bits(lane_of(actions, lanes, lane)), bits(expected)) << lanes << " " << lane;
    }
  }
}

TEST(LinearGaussian, OnlyActiveLanesAct) {
  const auto policy = linear_gaussian(full());
  const Acted acted = act(*policy, random_numbers(8, 1.0, 5), 12, 8);
  for (Index lane = 0; lane < 12; ++lane) {
    for (const double action : lane_of(acted.actions, 12, lane)) EXPECT_EQ(action == kUntouched, lane >= 8);
    for (const double residual : lane_of(acted.residuals, 12, lane)) EXPECT_EQ(residual == kUntouched, lane >= 8);
  }
}

TEST(LinearGaussian, MeanIsThatOfTheScaledObservationAndTheBias) {
  // Features ((1 - 0.5) 2, (0 + 1) 0.1, (2 - 2) -1.5, 1) = (1, 0.1, 0, 1); Theta is stored one action after the other.
  const std::vector<double> theta = {1.0, 10.0, 100.0, 1000.0, 2.0, 20.0, 200.0, 2000.0};
  std::vector<double> action(2);
  linear_gaussian(full())->mean(theta, std::vector{1.0, 0.0, 2.0}, action);
  EXPECT_DOUBLE_EQ(action[0], 1.0 + 1.0 + 0.0 + 1000.0);
  EXPECT_DOUBLE_EQ(action[1], 2.0 + 2.0 + 0.0 + 2000.0);
}

TEST(LinearGaussian, MeanIsTheActionWithoutItsResidual) {
  const auto policy = linear_gaussian(full());
  const std::vector<double> theta = random_numbers(8, 1.0, 6);
  const Acted acted = act(*policy, theta, 8, 8);
  for (Index lane = 0; lane < 8; ++lane) {
    std::vector<double> mean(2);
    policy->mean(theta, lane_of(acted.observations, 8, lane), mean);
    for (std::size_t u = 0; u < 2; ++u) {
      EXPECT_NEAR(mean[u], lane_of(acted.actions, 8, lane)[u] - lane_of(acted.residuals, 8, lane)[u], 1e-14);
    }
  }
}

TEST(LinearGaussian, StartsAtZeroWithOneParameterAFeatureAndAction) {
  const auto with_bias = linear_gaussian(full());
  EXPECT_EQ(with_bias->parameter_count(), 8);
  EXPECT_EQ(with_bias->initial_parameters(5), std::vector<double>(8, 0.0));
  EXPECT_EQ(with_bias->observation_size(), 3);
  EXPECT_EQ(with_bias->action_size(), 2);
  EXPECT_EQ(linear_gaussian({.observation_size = 17, .action_size = 6})->parameter_count(), 102);
}

TEST(LinearGaussian, KeepsMomentsOrStepsAsAskedAndSaysWhatTheyCost) {
  LinearGaussianOptions options = full();
  const auto moments = linear_gaussian(options);
  EXPECT_NE(moments->gathering(), nullptr);
  EXPECT_EQ(moments->bytes_per_trajectory(100), 36 * 8);  // S and W: 10 numbers each, E and F: 8 each
  EXPECT_EQ(moments->bytes_per_trajectory(1), 36 * 8);
  options.evidence = EvidenceKind::kSteps;
  const auto steps = linear_gaussian(options);
  EXPECT_NE(steps->gathering(), nullptr);
  EXPECT_GE(steps->bytes_per_trajectory(100), 100 * 9 * 8);  // a step: 4 features, action and mean of 2, credit
}

TEST(CheaperEvidence, IsMomentsAsSoonAsTheyAreNotLarger) {
  const LinearGaussianOptions cart_pole{.observation_size = 4, .action_size = 1};
  EXPECT_EQ(cheaper_evidence(cart_pole, 200), EvidenceKind::kMoments);  // 28 numbers against 7 a step
  EXPECT_EQ(cheaper_evidence(cart_pole, 4), EvidenceKind::kMoments);
  EXPECT_EQ(cheaper_evidence(cart_pole, 3), EvidenceKind::kSteps);
  const LinearGaussianOptions with_bias{.observation_size = 4, .action_size = 1, .bias = true};
  EXPECT_EQ(cheaper_evidence(with_bias, 5), EvidenceKind::kMoments);  // 40 against 8 a step
  EXPECT_EQ(cheaper_evidence(with_bias, 4), EvidenceKind::kSteps);
  const LinearGaussianOptions half_cheetah{.observation_size = 17, .action_size = 6};
  EXPECT_EQ(cheaper_evidence(half_cheetah, 100), EvidenceKind::kMoments);  // 510 against 30 a step
  EXPECT_EQ(cheaper_evidence(half_cheetah, 16), EvidenceKind::kSteps);
}

TEST(Evidence, BadOptionsOfTheLinearPolicyAreRefusedInOneClearLine) {
  const auto make = [](LinearGaussianOptions options) {
    if (options.observation_size == 0) options.observation_size = 3;
    if (options.action_size == 0) options.action_size = 2;
    return [options] { linear_gaussian(options); };
  };
  expect_throw([] { linear_gaussian({.observation_size = 0, .action_size = 1}); },
               "a policy needs 1 to 1000000 observations and actions");
  expect_throw([] { linear_gaussian({.observation_size = 1, .action_size = 0}); },
               "a policy needs 1 to 1000000 observations and actions");
  expect_throw(make({.variance = {}}), "policy.variance has 0 numbers; expected 1 or 2, one per action");
  expect_throw(make({.variance = {1.0, 1.0, 1.0}}), "policy.variance has 3 numbers; expected 1 or 2, one per action");
  expect_throw(make({.variance = {0.0}}), "policy.variance must be positive and finite");
  expect_throw(make({.variance = {1.0, -0.1}}), "policy.variance must be positive and finite");
  expect_throw(make({.variance = {kNan}}), "policy.variance must be positive and finite");
  expect_throw(make({.variance = {INFINITY}}), "policy.variance must be positive and finite");
  const std::string both =
      "policy.shift and policy.scale must both be empty or both have 3 numbers, one per observation";
  expect_throw(make({.shift = {1.0, 1.0, 1.0}}), both);
  expect_throw(make({.scale = {1.0, 1.0, 1.0}}), both);
  expect_throw(make({.shift = {1.0, 1.0}, .scale = {1.0, 1.0}}), both);
  expect_throw(make({.shift = {1.0, kNan, 1.0}, .scale = {1.0, 1.0, 1.0}}),
               "policy.shift and policy.scale must be finite");
  expect_throw(make({.shift = {1.0, 1.0, 1.0}, .scale = {1.0, 1.0, INFINITY}}),
               "policy.shift and policy.scale must be finite");
}

}  // namespace
}  // namespace retropg::test
