#include "retropg/training/told_actions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "retropg/estimator/windowed.hpp"
#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/policy/softmax.hpp"
#include "retropg/training/trainer.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

const LinearGaussianOptions kLinear{.observation_size = 2, .action_size = 2, .variance = {0.04, 0.25}};
const std::vector<double> kTheta{1.0, -0.5, 0.3, 2.0};
const char* const kAsSampled = "tell actions as they were sampled, not clipped, rescaled or replaced by their mean";

/// A hundred trajectories of 20 steps: 4000 numbers.
TrajectoryBatch sampled(std::uint64_t seed = 1) {
  return random_batch(kLinear, kTheta, std::vector<Index>(100, 20), seed);
}

void expect_refused(const TrajectoryBatch& batch, const std::string& text, double spread = 1.0) {
  const auto policy = linear_gaussian(kLinear);
  expect_throw([&] { check_told_actions(*policy, kTheta, spread, batch); }, text);
  expect_throw([&] { check_told_actions(*policy, kTheta, spread, batch); }, kAsSampled);
}

TEST(ToldActions, AreTakenAsSampled) {
  // A false alarm has a chance of 1e-12 per batch.
  const auto policy = linear_gaussian(kLinear);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_NO_THROW(check_told_actions(*policy, kTheta, 1.0, sampled(seed))) << seed;
  }
  const MlpGaussianOptions network{.observation_size = 3, .action_size = 2, .hidden = {5}, .variance = {0.1, 0.4}};
  const auto mlp = mlp_gaussian(network);
  const std::vector<double> theta = mlp->initial_parameters(3);
  TrajectoryBatch batch = random_batch(network, theta, std::vector<Index>(37, 11), 4);
  EXPECT_NO_THROW(check_told_actions(*mlp, theta, 1.0, batch));
  for (double& action : batch.actions) action *= 0.5;
  expect_throw([&] { check_told_actions(*mlp, theta, 1.0, batch); }, "too near");
}

TEST(ToldActions, OneFarFromItsMeanIsNamed) {
  TrajectoryBatch batch = sampled();
  const std::size_t step = 7 * 20 + 13;  // step 13 of trajectory 7; action 1 has deviation 0.5
  std::vector<double> mean(2);
  linear_gaussian(kLinear)->mean(kTheta, std::span(batch.observations).subspan(2 * step, 2), mean);
  batch.actions[2 * step + 1] = mean[1] + 0.5 * 11.9;
  EXPECT_NO_THROW(check_told_actions(*linear_gaussian(kLinear), kTheta, 1.0, batch));
  batch.actions[2 * step + 1] = mean[1] - 0.5 * 12.5;
  expect_refused(batch, "trajectory 7, step 13: action 1 is ");
  expect_refused(batch, ", 12.5 standard deviations from the policy's mean ");
}

TEST(ToldActions, ThatWereClippedAreRefusedNearAndFar) {
  // The means spread over about [-6, 6]: clipped to [-1, 1], most actions lie far from them.
  TrajectoryBatch clipped = sampled();
  for (double& action : clipped.actions) action = std::clamp(action, -1.0, 1.0);
  expect_refused(clipped, "standard deviations from the policy's mean");
  // Where the mean is 0, clipping only takes the tails.
  const LinearGaussianOptions wide{.observation_size = 1, .action_size = 1, .variance = {1.0}};
  const std::vector<double> zero{0.0};
  TrajectoryBatch tails = random_batch(wide, zero, std::vector<Index>(100, 20), 1);
  EXPECT_NO_THROW(check_told_actions(*linear_gaussian(wide), zero, 1.0, tails));
  for (double& action : tails.actions) action = std::clamp(action, -1.0, 1.0);
  expect_throw([&] { check_told_actions(*linear_gaussian(wide), zero, 1.0, tails); },
               "the 2000 actions told are on average 0.7");
}

TEST(ToldActions, ThatWereRescaledOrReplacedByTheirMeansAreRefused) {
  const auto policy = linear_gaussian(kLinear);
  TrajectoryBatch means = sampled();
  for (Index t = 0; t < means.steps(); ++t) {
    policy->mean(kTheta, std::span(means.observations).subspan(as_size(2 * t), 2),
                 std::span(means.actions).subspan(as_size(2 * t), 2));
  }
  expect_refused(means, "too near to be sampled");
  TrajectoryBatch shrunk = sampled();
  for (double& action : shrunk.actions) action *= 0.7;
  expect_refused(shrunk, "standard deviations from the policy's mean");
}

TEST(ToldActions, AreMeasuredInUnitsOfTheSpread) {
  const auto policy = linear_gaussian(kLinear);
  LinearGaussianOptions wider = kLinear;
  for (double& variance : wider.variance) variance *= 4.0;
  const TrajectoryBatch batch = random_batch(wider, kTheta, std::vector<Index>(100, 20), 1);
  EXPECT_NO_THROW(check_told_actions(*policy, kTheta, 2.0, batch));
  expect_refused(batch, "too far to be sampled");
  expect_refused(sampled(), "too near to be sampled", 2.0);
}

TEST(ToldActions, AreMeasuredInUnitsOfLearnedDeviations) {
  LinearGaussianOptions learning = kLinear;
  learning.learn_deviation = true;
  const auto policy = linear_gaussian(learning);
  std::vector<double> theta = policy->initial_parameters(1);
  std::ranges::copy(kTheta, theta.begin());
  EXPECT_NO_THROW(check_told_actions(*policy, theta, 1.0, sampled()));
  theta.back() += std::log(2.0);  // the second action's deviation is twice what it was sampled with
  expect_throw([&] { check_told_actions(*policy, theta, 1.0, sampled()); }, "too near to be sampled");
}

TEST(ToldActions, ThatAreFewAreOnlyRefusedOneByOne) {
  TrajectoryBatch few{.observation_size = 2, .action_size = 2};
  for (int step = 1; step <= 4; ++step) few.add(std::vector{0.0, 0.0}, std::vector{1e-9 * step, -1e-9 * step}, 1.0);
  few.close();
  EXPECT_NO_THROW(check_told_actions(*linear_gaussian(kLinear), kTheta, 1.0, few)) << "8 numbers";
  few.add(std::vector{0.0, 0.0}, std::vector{3e-9, 2e-9}, 1.0);
  few.close();
  expect_refused(few, "the 10 actions told are on average ");
}

// Clipped at two deviations, where the preset puts the ends of the range, one number in twenty is at an end: too few
// for the sum of squares.
TEST(ToldActions, ThatWereClippedAtTheEndsOfTheirRangeAreRefused) {
  const LinearGaussianOptions wide{.observation_size = 1, .action_size = 1, .variance = {0.25}};
  const auto policy = linear_gaussian(wide);
  const std::vector<double> zero{0.0};
  const std::vector<ActionRange> ranges{{.low = -1.0, .high = 1.0}};
  TrajectoryBatch batch = random_batch(wide, zero, std::vector<Index>(10, 20), 1);
  EXPECT_NO_THROW(check_told_actions(*policy, zero, 1.0, batch, ranges));
  for (double& action : batch.actions) action = std::clamp(action, -1.0, 1.0);
  ASSERT_GE(std::ranges::count(batch.actions, 1.0) + std::ranges::count(batch.actions, -1.0), 2);
  EXPECT_NO_THROW(check_told_actions(*policy, zero, 1.0, batch)) << "without a range";
  expect_throw([&] { check_told_actions(*policy, zero, 1.0, batch, ranges); }, "end of its range");
  expect_throw([&] { check_told_actions(*policy, zero, 1.0, batch, ranges); }, kAsSampled);
}

TEST(ToldActions, ARefusalNamesTheEndAndHowManyAreThere) {
  TrajectoryBatch batch = sampled();
  const auto policy = linear_gaussian(kLinear);
  const std::vector<ActionRange> ranges{{.low = -100.0, .high = 100.0}, {.low = -100.0, .high = 0.75}};
  const auto check = [&] { check_told_actions(*policy, kTheta, 1.0, batch, ranges); };
  // Where the mean is near to the end, an action may be there.
  std::vector<std::size_t> near;
  for (std::size_t t = 0; t < as_size(batch.steps()); ++t) {
    if (std::abs(batch.actions[2 * t + 1] - 0.75) < 0.1) near.push_back(t);
  }
  ASSERT_GE(near.size(), 2u);
  batch.actions[2 * near[0] + 1] = 0.75;
  EXPECT_NO_THROW(check()) << "one alone";
  batch.actions[2 * near[1] + 1] = 0.75;
  expect_throw(check, "action 1 is exactly an end of its range, as 2 of the 4000 numbers told are");
  expect_throw(check, "trajectory " + std::to_string(near[0] / 20) + ", step " + std::to_string(near[0] % 20));
}

TEST(ToldActions, ThatArePartlyMeansAreRefused) {
  const auto policy = linear_gaussian(kLinear);
  TrajectoryBatch batch = sampled();
  std::vector<double> mean(2);
  for (const std::size_t t : {std::size_t{17}, std::size_t{1200}}) {
    EXPECT_NO_THROW(check_told_actions(*policy, kTheta, 1.0, batch)) << "at most one";
    policy->mean(kTheta, std::span(batch.observations).subspan(2 * t, 2), mean);
    batch.actions[2 * t] = mean[0];
  }
  expect_refused(batch,
                 "trajectory 0, step 17: action 0 is exactly the policy's mean, as 2 of the 4000 numbers told are");
}

TEST(ToldActions, OfPoliciesThatAreNotGaussianAreNotCompared) {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  for (int step = 0; step < 20; ++step) batch.add(std::vector{1.0}, std::vector{1.0}, 1.0);
  batch.close();
  const auto softmax = softmax_linear({.observation_size = 1, .action_count = 2});
  EXPECT_NO_THROW(check_told_actions(*softmax, softmax->initial_parameters(1), 1.0, batch));
  const auto hyper = hyperpolicy(linear_gaussian({.observation_size = 1, .action_size = 1}), {});
  EXPECT_NO_THROW(check_told_actions(*hyper, hyper->initial_parameters(1), 1.0, batch));
}

TEST(ToldActions, OfATrajectoryThatWasToldBeforeAreRefused) {
  const std::shared_ptr<const Policy> policy = linear_gaussian(kLinear);
  Trainer trainer(policy, windowed(*policy, {.batch = 100, .window = 4}, multiple_power_mean({})), constant_step(1e-9),
                  {.iterations = 9, .horizon = 20});
  trainer.set_parameters(kTheta);
  const TrajectoryBatch first = sampled(1), second = sampled(2);
  Archive before(Archive::Mode::kSave);
  trainer.state(before);
  TrajectoryBatch some{.observation_size = 2, .action_size = 2}, rest = some;
  some.append(first, 0, 60);
  rest.append(first, 60, 100);
  trainer.tell(some);
  trainer.update();
  const char* const again = "trajectory 0: one with the same actions, to the last bit, has been told already";
  expect_throw([&] { trainer.tell(some); }, again);
  expect_throw([&] { trainer.tell_late({.iteration = 1}, some); }, "expected 1 to 40");
  trainer.tell_late({.iteration = 1}, rest);
  expect_throw([&] { trainer.tell(rest); }, again);
  TrajectoryBatch collected = rest;
  collected.collected = true;
  EXPECT_NO_THROW(trainer.tell(collected)) << "what the collector sampled is not checked";
  trainer.update();
  trainer.tell(second);
  trainer.update();
  Archive restored(before.state());
  trainer.state(restored);
  EXPECT_NO_THROW(trainer.tell(some)) << "as if it had not been told";
}

TEST(ToldActions, ARefusalLeavesTheTrainerAsItWas) {
  const std::shared_ptr<const Policy> policy = linear_gaussian(kLinear);
  Trainer trainer(policy, windowed(*policy, {.batch = 100, .window = 4}, multiple_power_mean({})), constant_step(0.01),
                  {.iterations = 5, .horizon = 20});
  trainer.set_parameters(kTheta);
  TrajectoryBatch clipped = sampled();
  for (double& action : clipped.actions) action = std::clamp(action, -1.0, 1.0);
  expect_throw([&] { trainer.tell(clipped); }, kAsSampled);
  clipped.collected = true;
  EXPECT_NO_THROW(trainer.tell(clipped)) << "what the collector sampled is not checked";
  expect_throw([&] { trainer.tell(sampled()); }, "already has its trajectories");
  EXPECT_EQ(trainer.update().trajectories, 100);
}

}  // namespace
}  // namespace retropg::test
