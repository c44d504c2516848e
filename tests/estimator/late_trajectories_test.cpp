// Trajectories that came late are weighted as if they had been there in time.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/rnpg.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"
#include "support/windowed_estimates.hpp"

namespace retropg::test {
namespace {

const LinearGaussianOptions kOptions{.observation_size = 2, .action_size = 1, .variance = {0.5}};
const std::vector<std::vector<double>> kThetas{{0.1, 0.2}, {0.25, 0.1}, {0.3, 0.3}};

class LateTrajectories : public testing::Test {
 protected:
  const std::unique_ptr<Policy> policy_ = linear_gaussian(kOptions);
  const Workers workers_;
  const OrderedSum sum_{workers_};

  /// Trajectories [first, last) of the eleven of an iteration.
  Batch batch(Index iteration, Index first, Index last) const {
    const std::vector<double>& theta = kThetas[as_size(iteration - 1)];
    const TrajectoryBatch all = random_batch(kOptions, theta, ragged(11, 6, as_size(iteration)), as_size(iteration));
    TrajectoryBatch some{.observation_size = 2, .action_size = 1};
    some.append(all, first, last);
    Batch result{.behavior = theta,
                 .evidence = policy_->digest(theta, some, 1.0, Credit::kRewardToGo),
                 .returns = discounted_returns(some, 1.0),
                 .draw = {.iteration = iteration},
                 .missing = 11 - (last - first)};
    for (Index j = 0; j < some.size(); ++j) result.lengths.push_back(some.length(j));
    return result;
  }

  Estimate estimate(Estimator& estimator, Index iteration, Index first, Index last) const {
    std::vector<Batch> fresh;
    fresh.push_back(batch(iteration, first, last));
    Estimate result = estimator.estimate(kThetas[as_size(iteration - 1)], std::move(fresh), sum_);
    estimator.keep();
    return result;
  }
};

std::vector<std::function<std::unique_ptr<WeightRule>()>> rules() {
  auto result = all_rules();
  result.emplace_back([] {
    return multiple_power_mean({.rule = CoefficientRule::kExplicit, .lambda = {0.1, 0.2}, .alpha = {3, 2, 1}});
  });
  result.emplace_back([] {
    return multiple_power_mean(
        {.rule = CoefficientRule::kHistoryDependent,
         .bounds = {
             .gradient_bound = 1.0, .hessian_bound = 1.0, .score_bound = 1.0, .horizon = 6.0, .step_size = 0.1}});
  });
  return result;
}

TEST_F(LateTrajectories, AreWeightedAsIfTheyHadBeenThereInTime) {
  for (const Index window : {Index{3}, Index{8}, kFullReuse}) {
    for (std::size_t rule = 0; rule < rules().size(); ++rule) {
      const auto in_time = windowed(*policy_, {.batch = 11, .window = window}, rules()[rule]());
      const auto late = windowed(*policy_, {.batch = 11, .window = window}, rules()[rule]());
      estimate(*in_time, 1, 0, 11);
      estimate(*late, 1, 0, 4);
      estimate(*in_time, 2, 0, 11);
      estimate(*late, 2, 0, 11);
      late->add_late(batch(1, 4, 6));
      late->add_late(batch(1, 6, 11));
      const std::vector<double> expected = numbers(estimate(*in_time, 3, 0, 11));
      const std::vector<double> found = numbers(estimate(*late, 3, 0, 11));
      ASSERT_EQ(found.size(), expected.size()) << "the same batches are recorded";
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::isnan(expected[i]) && std::isnan(found[i])) continue;
        EXPECT_NEAR(found[i], expected[i], 1e-12 * std::max(1.0, std::abs(expected[i])))
            << "number " << i << ", rule " << rule << ", window " << window;
      }
      // Without them, the estimate is another one: this test would see that they are ignored.
      const auto without = windowed(*policy_, {.batch = 11, .window = window}, rules()[rule]());
      estimate(*without, 1, 0, 4);
      estimate(*without, 2, 0, 11);
      EXPECT_GT(std::abs(numbers(estimate(*without, 3, 0, 11))[0] - expected[0]), 1e-6);
    }
  }
}

TEST_F(LateTrajectories, EnterTheEstimatedReturnAtOnce) {
  const auto in_time = windowed(*policy_, {.batch = 11, .window = 4}, balance_heuristic());
  const auto late = windowed(*policy_, {.batch = 11, .window = 4}, balance_heuristic());
  estimate(*in_time, 1, 0, 11);
  estimate(*late, 1, 0, 4);
  late->add_late(batch(1, 4, 11));
  const ReturnEstimate expected = *in_time->value(kThetas[1], sum_), found = *late->value(kThetas[1], sum_);
  EXPECT_NEAR(found.mean, expected.mean, 1e-12);
  EXPECT_NEAR(found.effective, expected.effective, 1e-11);
  EXPECT_EQ(found.trajectories, 11);
}

TEST_F(LateTrajectories, AreKnownByTheirDrawWhileItsBatchIsStored) {
  const auto estimator = windowed(*policy_, {.batch = 11, .window = 2}, multiple_power_mean({}));
  EXPECT_TRUE(estimator->reuses());
  EXPECT_FALSE(estimator->stored_draw({.iteration = 1}).has_value());
  estimate(*estimator, 1, 0, 4);
  const Draw draw = estimator->stored_draw({.iteration = 1}).value();
  EXPECT_EQ(draw.behavior, kThetas[0]);
  EXPECT_EQ(draw.count, 7);
  EXPECT_EQ(draw.id, (DrawId{.iteration = 1}));
  EXPECT_FALSE(estimator->stored_draw({.iteration = 1, .index = 1}).has_value());
  estimator->add_late(batch(1, 4, 9));
  EXPECT_EQ(estimator->stored_draw({.iteration = 1})->count, 2);
  estimate(*estimator, 2, 0, 11);
  estimate(*estimator, 3, 0, 11);
  EXPECT_FALSE(estimator->stored_draw({.iteration = 1}).has_value()) << "left the window";
}

TEST_F(LateTrajectories, AreOfNoUseToMethodsThatReuseNothing) {
  const auto gpomdp = on_policy(11, Credit::kRewardToGo);
  const auto window_of_one = windowed(*policy_, {.batch = 11, .window = 1}, multiple_power_mean({}));
  for (Estimator* estimator : std::initializer_list<Estimator*>{gpomdp.get(), window_of_one.get()}) {
    estimate(*estimator, 1, 0, 4);
    EXPECT_FALSE(estimator->reuses());
    EXPECT_FALSE(estimator->stored_draw({.iteration = 1}).has_value());
  }
  expect_throw([&] { gpomdp->add_late(batch(1, 4, 11)); }, "has no use for late ones");
}

TEST_F(LateTrajectories, ReachTheWindowOfMethodsThatAreBuiltOnOne) {
  const auto in_time = rnpg(*policy_, {.batch = 11, .window = 4}), late = rnpg(*policy_, {.batch = 11, .window = 4});
  estimate(*in_time, 1, 0, 11);
  estimate(*late, 1, 0, 4);
  ASSERT_TRUE(late->reuses());
  ASSERT_EQ(late->stored_draw({.iteration = 1})->count, 7);
  late->add_late(batch(1, 4, 11));
  const std::vector<double> expected = estimate(*in_time, 2, 0, 11).gradient,
                            found = estimate(*late, 2, 0, 11).gradient;
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-10);
}

}  // namespace
}  // namespace retropg::test
