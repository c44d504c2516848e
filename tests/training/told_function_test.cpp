#include "retropg/training/told_function.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/policy/sampler.hpp"
#include "retropg/policy/softmax.hpp"
#include "support/expect_throw.hpp"
#include "support/numbers.hpp"

namespace retropg::test {
namespace {

/// Trajectories of 11 steps on random observations, as a plant runs them.
TrajectoryBatch acted(const Policy& policy, Index trajectories, std::uint64_t seed = 1) {
  TrajectoryBatch batch{.observation_size = policy.observation_size(), .action_size = policy.action_size()};
  const std::vector<double> xi = policy.initial_parameters(1);
  for (Index j = 0; j < trajectories; ++j) {
    Sampler sampler = policy.sample(xi, RandomStream({.seed = seed, .trajectory = static_cast<std::uint32_t>(j)}));
    const std::vector<double> observations = uniform_numbers(as_size(11 * policy.observation_size()), -2.0, 2.0,
                                                             static_cast<std::uint32_t>(seed + as_size(j)));
    for (Index t = 0; t < 11; ++t) {
      const auto observation =
          std::span(observations).subspan(as_size(t * policy.observation_size()), as_size(policy.observation_size()));
      batch.add(observation, sampler.act(observation), 1.0);
    }
    batch.sampled.insert(batch.sampled.end(), sampler.parameters().begin(), sampler.parameters().end());
    batch.close();
  }
  return batch;
}

std::unique_ptr<Policy> linear() {
  return hyperpolicy(linear_gaussian({.observation_size = 3, .action_size = 2}), {});
}

void expect_refused(const Policy& policy, const TrajectoryBatch& batch, const std::string& text) {
  expect_throw([&] { check_actions_of_parameters(policy, batch); }, text);
}

TEST(ActionsOfParameters, AreTakenAsTheyWere) {
  EXPECT_NO_THROW(check_actions_of_parameters(*linear(), acted(*linear(), 20)));
  const auto network = hyperpolicy(mlp_gaussian({.observation_size = 3, .action_size = 1, .hidden = {5}}), {});
  EXPECT_NO_THROW(check_actions_of_parameters(*network, acted(*network, 20)));
  const auto discrete = hyperpolicy(softmax_linear({.observation_size = 3, .action_count = 4}), {});
  EXPECT_NO_THROW(check_actions_of_parameters(*discrete, acted(*discrete, 20)));
}

TEST(ActionsOfParameters, AreTakenAsAPlantLogsThem) {
  for (const double grid : {0.0, 1e-6}) {
    TrajectoryBatch batch = acted(*linear(), 20);
    for (std::vector<double>* numbers : {&batch.observations, &batch.actions}) {
      for (double& number : *numbers) {
        number = grid > 0.0 ? std::round(number / grid) * grid : static_cast<double>(static_cast<float>(number));
      }
    }
    EXPECT_NO_THROW(check_actions_of_parameters(*linear(), batch)) << grid;
  }
}

TEST(ActionsOfParameters, AreRefusedIfClippedOrRescaled) {
  const auto policy = linear();
  TrajectoryBatch clipped = acted(*policy, 20);
  const auto largest = std::ranges::max_element(clipped.actions);
  const auto number = static_cast<std::size_t>(largest - clipped.actions.begin());
  *largest *= 0.98;
  expect_refused(*policy, clipped,
                 "trajectory " + std::to_string(number / 22) + ", step " + std::to_string(number % 22 / 2) +
                     ": action " + std::to_string(number % 2) + " is ");
  expect_refused(*policy, clipped, "tell actions as they were sampled");
  TrajectoryBatch rescaled = acted(*policy, 3);
  for (double& action : rescaled.actions) action *= 1.01;
  expect_refused(*policy, rescaled, "but the parameters of the trajectory give");
}

TEST(ActionsOfParameters, AreRefusedWithTheParametersOfAnotherTrajectory) {
  const auto policy = linear();
  TrajectoryBatch batch = acted(*policy, 2);
  std::rotate(batch.sampled.begin(), batch.sampled.begin() + std::ssize(batch.sampled) / 2, batch.sampled.end());
  expect_refused(*policy, batch, "trajectory 0, step 0: action 0 is ");
}

TEST(ActionsOfParameters, MayDifferOnceWhereTheyAreDiscrete) {
  const auto policy = hyperpolicy(softmax_linear({.observation_size = 3, .action_count = 4}), {});
  TrajectoryBatch batch = acted(*policy, 3);
  batch.actions[14] = batch.actions[14] == 0.0 ? 1.0 : 0.0;
  EXPECT_NO_THROW(check_actions_of_parameters(*policy, batch)) << "a tie";
  batch.actions[16] = batch.actions[16] == 0.0 ? 1.0 : 0.0;
  expect_refused(*policy, batch, "trajectory 1, step 3: action 0 is ");
}

}  // namespace
}  // namespace retropg::test
