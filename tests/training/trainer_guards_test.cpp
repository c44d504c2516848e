// What a trainer and its collector refuse, and that a refusal changes nothing.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "retropg/core/random.hpp"
#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "retropg/training/trainer.hpp"
#include "support/expect_throw.hpp"
#include "support/point_mass.hpp"
#include "support/scripted_trainer.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const char* const kForeign = "evidence made by the trainer's policy at the draw's behavior";

std::unique_ptr<Estimator> scripted_estimator() {
  return std::make_unique<ScriptedEstimator>(4, [](Index) { return 1.0; });
}

TEST(TrainerGuards, NeedAPolicyAnEstimatorAndAnOptimizer) {
  const TrainerOptions options{.horizon = 1};
  expect_throw([&] { Trainer(nullptr, scripted_estimator(), constant_step(1.0), options); },
               "a trainer needs a policy");
  expect_throw([&] { Trainer(scalar_policy(), nullptr, constant_step(1.0), options); }, "a trainer needs an estimator");
  expect_throw([&] { Trainer(scalar_policy(), scripted_estimator(), nullptr, options); },
               "a trainer needs an optimizer");
}

TEST(TrainerGuards, HaveADiscountFromZeroToOne) {
  for (const double bad : {kNan, -0.5, 1.5}) {
    expect_throw([&] { counting_trainer({.horizon = 1, .discount = bad}); },
                 "the discount of a run must be from 0 to 1");
  }
}

// A budget may allow more iterations than there are random numbers for.
TEST(TrainerGuards, NoIterationIsBeyondTheLastOneWithRandomNumbers) {
  const auto at = [](Index iteration) {
    Trainer trainer = counting_trainer({.iterations = 0, .budget = Index{1} << 40, .horizon = 1});
    Archive archive(Archive::Mode::kSave);
    trainer.state(archive);
    SavedState state = archive.state();
    for (const char* name : {"trainer/iteration", "trainer/trajectories", "trainer/steps"}) {
      state.counts.at(name) = {iteration};
    }
    Archive restored(std::move(state));
    trainer.state(restored);
    trainer.ask();
  };
  EXPECT_NO_THROW(at(kMostIterations));
  expect_throw([&] { at(kMostIterations + 1); }, "a run has at most 4000000000 iterations");
}

TEST(TrainerGuards, NothingIsAskedForAfterTheEnd) {
  Trainer trainer = counting_trainer({.iterations = 1, .horizon = 1});
  trainer.tell(one_step_batch({1.0}));
  trainer.update();
  ASSERT_TRUE(trainer.finished());
  expect_throw([&] { trainer.ask(); }, "the run has finished");
  expect_throw([&] { trainer.tell(one_step_batch({1.0})); }, "the run has finished");
}

TEST(TrainerGuards, SavingLeavesOpenDrawsAlone) {
  Trainer trainer = counting_trainer({.horizon = 1});
  const std::vector<Draw>& draws = trainer.ask();
  Archive archive(Archive::Mode::kSave);
  trainer.state(archive);
  EXPECT_EQ(draws.size(), 1u);
  expect_throw([&] { trainer.set_parameters({1.0}); }, "only between iterations");
}

TEST(TrainerGuards, ParametersAreSetBetweenIterationsOnly) {
  Trainer trainer = counting_trainer({.horizon = 1});
  trainer.set_parameters({5.0});
  EXPECT_EQ(trainer.ask().at(0).behavior, std::vector{5.0});
  const auto set = [&] { trainer.set_parameters({7.0}); };
  expect_throw(set, "only between iterations: draws of iteration 1 have been asked for");
  trainer.tell(one_step_batch({1.0}));
  expect_throw(set, "only between iterations");
  EXPECT_EQ(trainer.parameters()[0], 5.0);
  trainer.update();
  EXPECT_EQ(trainer.parameters()[0], 6.0);
  set();
  EXPECT_EQ(trainer.ask().at(0).behavior, std::vector{7.0});
}

/// A digested answer of two trajectories, right but for what a test changes.
Batch digested(const Policy& policy, const std::vector<double>& behavior) {
  return {.evidence = policy.digest(behavior, one_step_batch({1.0, 2.0}), 1.0, Credit::kRewardToGo),
          .returns = {1.0, 2.0},
          .lengths = {1, 1}};
}

TEST(TrainerGuards, EvidenceIsThatOfThePolicyAtTheBehavior) {
  const auto policy = scalar_policy();
  Trainer trainer(policy, scripted_estimator(), constant_step(1.0), {.horizon = 1});
  const auto refuse = [&](Batch batch) { expect_throw([&] { trainer.tell(std::move(batch)); }, kForeign); };
  refuse({.returns = {1.0}, .lengths = {1}});
  refuse(digested(*policy, {0.5}));
  const auto wider = linear_gaussian({.observation_size = 1, .action_size = 1, .variance = {0.7}});
  refuse(digested(*wider, {0.0}));
  const auto steps = linear_gaussian({.observation_size = 1, .action_size = 1, .evidence = EvidenceKind::kSteps});
  refuse(digested(*steps, {0.0}));
  const auto network = mlp_gaussian({.observation_size = 1, .action_size = 1, .hidden = {}});
  refuse(digested(*network, {0.0}));
  trainer.tell(digested(*policy, {0.0}));
  EXPECT_EQ(trainer.update().trajectories, 2) << "the refused answers left nothing behind";
}

TEST(TrainerGuards, ADigestedBatchHasAFiniteReturnAndALengthForEachTrajectory) {
  const auto policy = scalar_policy();
  Trainer trainer(policy, scripted_estimator(), constant_step(1.0), {.horizon = 1});
  const auto refuse = [&](void (*change)(Batch&), const char* problem) {
    Batch batch = digested(*policy, {0.0});
    change(batch);
    expect_throw([&] { trainer.tell(std::move(batch)); }, problem);
  };
  const char* const each = "a batch needs one return and one length per trajectory";
  refuse([](Batch& batch) { batch.returns.clear(); }, each);
  refuse([](Batch& batch) { batch.returns.push_back(3.0); }, each);
  refuse([](Batch& batch) { batch.lengths.clear(); }, each);
  refuse([](Batch& batch) { batch.lengths.pop_back(); }, each);
  refuse([](Batch& batch) { batch.returns[1] = kNan; }, "trajectory 1: the return is nan");
  refuse([](Batch& batch) { batch.returns[1] = -1.1e100; }, "trajectory 1: the return is -1.1e+100");
  refuse([](Batch& batch) { batch.lengths[1] = 0; }, "a trajectory has 0 steps; expected 1 to 1");
  refuse([](Batch& batch) { batch.lengths[1] = 2; }, "a trajectory has 2 steps; expected 1 to 1");
  trainer.tell(digested(*policy, {0.0}));
  EXPECT_EQ(trainer.update().return_mean, 1.5);
}

TEST(TrainerGuards, OffsetsNeverRunBackward) {
  Trainer trainer = counting_trainer({.horizon = 3});
  for (const std::vector<Index>& offsets :
       {std::vector<Index>{0, 2, 1, 3}, {1, 2, 3}, {0, 3, 2, 3}, {-1, 1, 3}, std::vector<Index>{}}) {
    TrajectoryBatch batch = one_step_batch({1.0, 2.0, 3.0});
    batch.first_step = offsets;
    expect_throw([&] { trainer.tell(batch); }, "first_step must start at 0 and never decrease");
  }
  EXPECT_EQ(trainer.trajectories(), 0);
}

TEST(TrainerGuards, ReturnsDoNotOverflow) {
  Trainer trainer = counting_trainer({.horizon = 2});
  const auto steps_with = [](double reward) {
    TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
    for (int t = 0; t < 2; ++t) batch.add(std::vector{1.0}, std::vector{0.5}, reward);
    batch.close();
    return batch;
  };
  expect_throw([&] { trainer.tell(steps_with(1.5e308)); }, "trajectory 0, step 0: the reward is 1.5e+308");
  trainer.tell(steps_with(1e100));
  const IterationRecord record = trainer.update();
  EXPECT_EQ(record.return_mean, 2e100);
  EXPECT_EQ(trainer.best_return(), 2e100);
}

TEST(TrainerGuards, DroppedTrajectoriesAreCounted) {
  Trainer trainer = counting_trainer({.iterations = 0, .budget = 7, .horizon = 3});
  expect_throw(
      [&] {
        trainer.tell(one_step_batch({1.0, 2.0}), {.trajectories = 3, .steps = 4});
      },
      "expected 1 to 4 trajectories for this draw, got 2 and 3 dropped");
  expect_throw([&] { trainer.tell(one_step_batch({1.0}), {.trajectories = 2, .steps = 7}); },
               "2 dropped trajectories cannot have taken 7 steps; each takes 1 to 3");
  trainer.tell(one_step_batch({1.0, 2.0}), {.trajectories = 2, .steps = 5});
  const IterationRecord record = trainer.update();
  EXPECT_EQ(record.trajectories, 4);
  EXPECT_EQ(record.steps, 7);
  EXPECT_EQ(record.dropped, 2);
  EXPECT_EQ(record.return_mean, 1.5);
  EXPECT_EQ(trainer.ask().front().count, 3) << "what was dropped counts towards the budget";
  Archive saved(Archive::Mode::kSave);
  trainer.state(saved);
  trainer.tell(one_step_batch({1.0, 2.0, 3.0}));
  EXPECT_EQ(trainer.update().dropped, 2);
  EXPECT_TRUE(trainer.finished());
  Trainer again = counting_trainer({.iterations = 0, .budget = 7, .horizon = 3});
  Archive restore(saved.state());
  again.state(restore);
  EXPECT_EQ(again.dropped(), 2);
}

TEST(TrainerGuards, AnUpdateWithoutTrajectoriesIsSkipped) {
  Trainer trainer = counting_trainer({.iterations = 0, .budget = 8, .horizon = 3});
  const std::vector<double> before(trainer.parameters().begin(), trainer.parameters().end());
  const TrajectoryBatch nothing{.observation_size = 1, .action_size = 1};
  expect_throw([&] { trainer.tell(nothing, {.trajectories = 3, .steps = 4}); }, "expected 1 to 4 trajectories");
  expect_throw([&] { trainer.tell(nothing, {.trajectories = 4, .steps = 3}); }, "4 dropped trajectories cannot");
  trainer.tell(nothing, {.trajectories = 4, .steps = 9});
  const IterationRecord record = trainer.update();
  EXPECT_EQ(record.trajectories, 4);
  EXPECT_EQ(record.steps, 9);
  EXPECT_EQ(record.dropped, 4);
  EXPECT_EQ(record.skipped, 1);
  EXPECT_TRUE(std::isnan(record.return_mean) && std::isnan(record.gradient_norm));
  EXPECT_TRUE(record.outcomes.empty());
  EXPECT_TRUE(std::ranges::equal(trainer.parameters(), before));
  EXPECT_EQ(trainer.iteration(), 2);
  EXPECT_EQ(trainer.ask().front().count, 4);
}

TEST(CollectorGuards, AnEnvironmentIsWhole) {
  const auto policy = linear_gaussian({.observation_size = 2, .action_size = 1});
  const Workers workers;
  const auto refuse = [&](void (*change)(EnvironmentDefinition&), const char* problem) {
    EnvironmentDefinition environment = point_mass();
    change(environment);
    expect_throw([&] { Collector(environment, *policy, {}, workers); },
                 std::string("environment 'TestPointMass-v0' ") + problem);
  };
  refuse([](EnvironmentDefinition& e) { e.horizon = 0; }, "needs a horizon of at least 1 step");
  refuse([](EnvironmentDefinition& e) { e.make = nullptr; }, "has no function that makes it");
  refuse([](EnvironmentDefinition& e) { e.most_lanes = 0; }, "needs at least one lane");
  refuse([](EnvironmentDefinition& e) { e.observation_size = 0; }, "needs at least one observation");
  refuse([](EnvironmentDefinition& e) { e.discount = 1.5; }, "needs a discount from 0 to 1");
  EXPECT_NO_THROW(Collector(point_mass(), *policy, {}, workers));
}

}  // namespace
}  // namespace retropg::test
