#include "retropg/training/told_signs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/softmax.hpp"
#include "retropg/training/told_rounding.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

const LinearGaussianOptions kOptions{.observation_size = 1, .action_size = 1, .variance = {0.25}};
const std::vector<double> kZero{0.0};
const std::vector<ActionRange> kRange{{.low = -1.0, .high = 1.0}};

TrajectoryBatch sampled(Index trajectories, Index steps, std::uint64_t seed) {
  return random_batch(kOptions, kZero, std::vector<Index>(as_size(trajectories), steps), seed);
}

TrajectoryBatch rounded(TrajectoryBatch batch, const std::function<double(double)>& round) {
  std::ranges::transform(batch.actions, batch.actions.begin(), round);
  return batch;
}

double as_float(double action) {
  return static_cast<double>(static_cast<float>(action));
}

double decimals(double action, double grid) {
  return std::round(action / grid) * grid;
}

TEST(Rounding, IsSeenInTheNumbers) {
  const TrajectoryBatch batch = sampled(10, 20, 1);
  const Rounding none = rounding_of(batch, 0), floats = rounding_of(rounded(batch, as_float), 0);
  EXPECT_EQ(none.bits, 53);
  EXPECT_EQ(none.grid, 0.0);
  EXPECT_EQ(floats.bits, 24);
  EXPECT_EQ(floats.grid, 0.0);
  EXPECT_EQ(none.step(1.0), 0x1p-52);
  EXPECT_EQ(floats.step(-1.0), 0x1p-23);
  for (const double grid : {0.1, 0.001, 2.0 / 4095.0}) {
    const TrajectoryBatch coarse = rounded(batch, [&](double action) { return decimals(action, grid); });
    EXPECT_NEAR(rounding_of(coarse, 0).grid, grid, 1e-3 * grid) << grid;
  }
  const TrajectoryBatch float_grid = rounded(batch, [](double action) { return as_float(decimals(action, 0.001)); });
  EXPECT_NEAR(rounding_of(float_grid, 0).grid, 0.001, 1e-5);
}

// The false-alarm rate is 2e-12 per batch: none of 3000 batches. Of those rounded to a grid of a hundredth,
// half have two or more numbers that are exactly an end of the range, or the mean.
TEST(ExactActions, OfLogsThatRoundAreNoSign) {
  const auto policy = linear_gaussian(kOptions);
  Index coincidences = 0;
  for (std::uint64_t seed = 1; seed <= 750; ++seed) {
    const TrajectoryBatch batch = sampled(5, 20, seed);
    for (const auto& round : std::vector<std::function<double(double)>>{
             [](double action) { return action; }, as_float, [](double action) { return decimals(action, 1e-3); },
             [](double action) { return decimals(action, 1e-2); }}) {
      const TrajectoryBatch told = rounded(batch, round);
      EXPECT_NO_THROW(check_exact_actions(*policy, kZero, 1.0, told, kRange)) << seed;
      coincidences += std::ranges::count(told.actions, 0.0) > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(coincidences, 50) << "it could have been mistaken";
}

TEST(ExactActions, ThatWereClippedAndThenLoggedAsFloatsAreFound) {
  const auto policy = linear_gaussian(kOptions);
  const std::vector<ActionRange> odd{{.low = -0.7, .high = 0.9}};  // no floats
  const TrajectoryBatch told =
      rounded(sampled(5, 20, 3), [](double action) { return as_float(std::clamp(action, -0.7, 0.9)); });
  expect_throw([&] { check_exact_actions(*policy, kZero, 1.0, told, odd); }, "end of its range");
}

TEST(ExactActions, OfAnEvaluationAreItsMeans) {
  const auto policy = linear_gaussian(kOptions);
  const TrajectoryBatch means = rounded(sampled(2, 20, 1), [](double) { return 0.0; });
  expect_throw([&] { check_exact_actions(*policy, kZero, 1.0, means, {}); }, "exactly the policy's mean");
  EXPECT_NO_THROW(check_exact_actions(*policy, kZero, 0.0, means, {})) << "drawn without a spread";
}

TEST(Fingerprints, TellWhetherATrajectoryWasToldBefore) {
  const auto policy = linear_gaussian(kOptions);
  const TrajectoryBatch batch = sampled(100, 3, 1), more = sampled(100, 3, 2);
  ToldTrajectories told;
  const auto prints = [&](const TrajectoryBatch& of) { return fingerprints(*policy, kZero, 1.0, of); };
  const auto check = [&](const TrajectoryBatch& of) { told.check(prints(of), of); };
  EXPECT_NO_THROW(check(batch));
  told.add(prints(batch).hashes);
  EXPECT_NO_THROW(check(more));
  TrajectoryBatch again = more;
  again.append(batch, 42, 43);
  expect_throw([&] { check(again); },
               "trajectory 100: one with the same actions, to the last bit, has been told already");
  TrajectoryBatch twice = more;
  twice.append(more, 7, 8);
  expect_throw([&] { check(twice); }, "trajectory 100: one with the same actions");
  again.actions.back() = std::nextafter(again.actions.back(), 1.0);
  EXPECT_NO_THROW(check(again)) << "the last bit differs";
  told.clear();
  EXPECT_NO_THROW(check(batch));
}

TEST(Fingerprints, AreNoSignWhereChanceMayRepeatATrajectory) {
  const auto policy = linear_gaussian(kOptions);
  const auto refused = [&](TrajectoryBatch batch) {
    const TrajectoryBatch same = batch;
    batch.append(same, 0, 1);
    try {
      ToldTrajectories().check(fingerprints(*policy, kZero, 1.0, batch), batch);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  EXPECT_FALSE(refused(sampled(50, 1, 1))) << "53 bits";
  EXPECT_TRUE(refused(sampled(50, 2, 1)));
  EXPECT_FALSE(refused(rounded(sampled(50, 2, 1), as_float)));
  EXPECT_TRUE(refused(rounded(sampled(50, 3, 1), as_float)));
  const auto coarse = [](double action) { return decimals(action, 0.01); };
  EXPECT_FALSE(refused(rounded(sampled(50, 8, 1), coarse)));
  EXPECT_TRUE(refused(rounded(sampled(50, 10, 1), coarse)));
}

TEST(Fingerprints, AreNotOfPlantsThatMayRepeatThemselves) {
  const TrajectoryBatch batch = sampled(3, 20, 1);
  const auto hyper = hyperpolicy(linear_gaussian(kOptions), {});
  const auto softmax = softmax_linear({.observation_size = 1, .action_count = 2});
  for (const Policy* policy : {static_cast<const Policy*>(hyper.get()), static_cast<const Policy*>(softmax.get())}) {
    const std::vector<double> theta = policy->initial_parameters(1);
    EXPECT_TRUE(fingerprints(*policy, theta, 1.0, batch).hashes.empty());
  }
}

}  // namespace
}  // namespace retropg::test
