#include "retropg/training/trainer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "support/expect_throw.hpp"
#include "support/scripted_trainer.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> vector_of(Parameters theta) {
  return {theta.begin(), theta.end()};
}

/// Asks for two behaviors an iteration, the second one beside the current parameters.
class TwoDraws final : public Estimator {
 public:
  std::vector<Draw> plan(Index, Parameters theta, Index, const OrderedSum&) override {
    return {{.behavior = {theta.begin(), theta.end()}, .count = 2}, {.behavior = {theta[0] + 1.0}, .count = 3}};
  }
  Estimate estimate(Parameters, std::vector<Batch> fresh, const OrderedSum&) override {
    for (const Batch& batch : fresh) {
      behaviors.push_back(batch.behavior.at(0));
      sizes.push_back(batch.evidence->size());
    }
    return {.gradient = {1.0}, .diagnostics = {}};
  }
  Index largest_iteration() const override { return 5; }
  double iterations_within(double budget) const override { return budget / 5.0; }
  double bytes_needed(double, double) const override { return 0.0; }
  void state(Archive&) override {}

  std::vector<double> behaviors;
  std::vector<Index> sizes;
};

TEST(Trainer, AsksOnceAnIterationAndGivesTheSameDrawsUntilUpdate) {
  std::vector<ScriptedEstimator::Asked> asked;
  Trainer trainer(scalar_policy(),
                  std::make_unique<ScriptedEstimator>(
                      4, [](Index) { return 0.25; }, &asked),
                  constant_step(1.0), {.iterations = 3, .horizon = 1});
  for (Index k = 1; k <= 2; ++k) {
    const std::vector<Draw> before = trainer.ask();
    ASSERT_EQ(before.size(), 1u);
    EXPECT_EQ(before[0].count, 4);
    EXPECT_EQ(before[0].behavior, vector_of(trainer.parameters()));
    EXPECT_EQ(&trainer.ask(), &trainer.ask());
    trainer.tell(one_step_batch({1.0, 2.0, 3.0, 4.0}));
    EXPECT_EQ(trainer.ask()[0].behavior, before[0].behavior);
    EXPECT_EQ(trainer.ask()[0].count, before[0].count);
    EXPECT_EQ(trainer.update().iteration, k);
  }
  ASSERT_EQ(asked.size(), 2u) << "plan is called once an iteration";
  EXPECT_EQ(asked[0].k, 1);
  EXPECT_EQ(asked[1].k, 2);
  EXPECT_EQ(asked[0].theta, std::vector{0.0});
  EXPECT_EQ(asked[1].theta, std::vector{0.25});
  EXPECT_GT(asked[0].limit, 1'000'000'000'000) << "no budget, no limit";
}

TEST(Trainer, RefusesMoreAnswersThanDraws) {
  Trainer trainer = counting_trainer({.horizon = 1});
  trainer.tell(one_step_batch({1.0, 2.0}));
  expect_throw([&] { trainer.tell(one_step_batch({1.0})); },
               "every draw of this iteration already has its trajectories: call update");
  expect_throw([&] { trainer.tell(Batch{}); },
               "every draw of this iteration already has its trajectories: call update");
  const IterationRecord record = trainer.update();
  EXPECT_EQ(record.trajectories, 2) << "the refused answers left nothing behind";
  EXPECT_EQ(record.return_mean, 1.5);
}

TEST(Trainer, RefusesToUpdateBeforeEveryDrawIsAnswered) {
  Trainer trainer = counting_trainer({.horizon = 1});
  expect_throw([&] { trainer.update(); }, "call ask and tell before update");
  trainer.ask();
  expect_throw([&] { trainer.update(); }, "0 of 1 draws of this iteration have trajectories");
  trainer.tell(one_step_batch({1.0}));
  EXPECT_EQ(trainer.update().iteration, 1);
  expect_throw([&] { trainer.update(); }, "call ask and tell before update");

  Trainer two(scalar_policy(), std::make_unique<TwoDraws>(), constant_step(1.0), {.horizon = 1});
  two.tell(one_step_batch({1.0}));
  expect_throw([&] { two.update(); }, "1 of 2 draws of this iteration have trajectories");
  EXPECT_EQ(two.parameters()[0], 0.0) << "nothing moved";
  EXPECT_EQ(two.trajectories(), 0);
}

TEST(Trainer, RefusesEmptyAndOversizedBatches) {
  Trainer trainer = counting_trainer({.horizon = 1});
  expect_throw([&] { trainer.tell(one_step_batch({})); }, "expected 1 to 4 trajectories for this draw, got 0");
  expect_throw(
      [&] {
        trainer.tell(one_step_batch({1, 2, 3, 4, 5}));
      },
      "expected 1 to 4 trajectories for this draw, got 5");
  trainer.tell(one_step_batch({1, 2, 3, 4}));
  EXPECT_EQ(trainer.update().trajectories, 4);
}

TEST(Trainer, RefusesTrajectoriesThatDoNotFit) {
  Trainer trainer = counting_trainer({.horizon = 2});
  TrajectoryBatch wide{.observation_size = 2, .action_size = 1};
  wide.add(std::vector{1.0, 2.0}, std::vector{0.5}, 1.0);
  wide.close();
  expect_throw([&] { trainer.tell(wide); }, "observations of 2");

  TrajectoryBatch longer = one_step_batch({1.0});
  for (int step = 0; step < 3; ++step) longer.add(std::vector{1.0}, std::vector{0.5}, 1.0);
  longer.close();
  expect_throw([&] { trainer.tell(longer); }, "trajectory 1 has 3 steps; expected 1 to 2");

  expect_throw([&] { trainer.tell(one_step_batch({1.0, 2.0, kNan})); }, "trajectory 2, step 0");
  TrajectoryBatch broken = one_step_batch({1.0, 2.0});
  broken.actions[1] = kInfinity;
  expect_throw([&] { trainer.tell(broken); }, "trajectory 1, step 0");
  EXPECT_EQ(trainer.trajectories(), 0);
}

TEST(Trainer, TakesAPartialBatchForWhatItHolds) {
  // Three of ten trajectories are the same as a run that asks for three: the mean is over what came.
  const std::vector<std::string> settings{"algo.name=gpomdp", "train.iterations=4"};
  Configuration asks_for_ten = configured(settings), asks_for_three = configured(settings);
  asks_for_ten.algo.batch = 10;
  asks_for_three.algo.batch = 3;
  Session ten(asks_for_ten), three(asks_for_three);
  for (Index k = 1; k <= 4; ++k) {
    ASSERT_EQ(ten.trainer.ask()[0].count, 10);
    ten.trainer.tell(batch_of(ten.collector.collect(ten.trainer.parameters(), k, 0, 3)));
    const IterationRecord record = ten.trainer.update();
    EXPECT_EQ(record.trajectories, 3 * k);
    EXPECT_EQ(bits(record), bits(three.iterate()));
    EXPECT_EQ(bits(ten.trainer.parameters()), bits(three.trainer.parameters()));
  }
}

TEST(Trainer, KeepsDrawsAndAnswersInOrder) {
  auto estimator = std::make_unique<TwoDraws>();
  const TwoDraws& seen = *estimator;
  Trainer trainer(scalar_policy(), std::move(estimator), constant_step(1.0), {.horizon = 1});
  trainer.tell(one_step_batch({1.0, 3.0}));
  trainer.tell(one_step_batch({100.0, 200.0, 300.0}));
  const IterationRecord record = trainer.update();
  EXPECT_EQ(seen.behaviors, (std::vector{0.0, 1.0})) << "each batch carries the behavior of its draw";
  EXPECT_EQ(seen.sizes, (std::vector<Index>{2, 3}));
  EXPECT_EQ(record.trajectories, 5) << "every collected trajectory counts";
  EXPECT_EQ(record.return_mean, 2.0) << "but the return is the current policy's";
  EXPECT_DOUBLE_EQ(record.return_std, std::sqrt(2.0));
  EXPECT_EQ(trainer.best_return(), 2.0);
}

TEST(Trainer, CountsTrajectoriesStepsAndDiscountedReturns) {
  Trainer trainer = counting_trainer({.horizon = 3, .discount = 0.5});
  TrajectoryBatch batch = one_step_batch({7.0});
  for (const double reward : {1.0, 2.0, 4.0}) batch.add(std::vector{1.0}, std::vector{0.0}, reward);
  batch.close();
  trainer.tell(batch);
  IterationRecord record = trainer.update();
  EXPECT_EQ(record.iteration, 1);
  EXPECT_EQ(record.trajectories, 2);
  EXPECT_EQ(record.steps, 4);
  EXPECT_EQ(record.return_mean, 0.5 * (7.0 + (1.0 + 1.0 + 1.0)));
  EXPECT_DOUBLE_EQ(record.return_std, 4.0 / std::sqrt(2.0));
  EXPECT_EQ(record.gradient_norm, 1.0);
  trainer.tell(one_step_batch({1.0}));
  record = trainer.update();
  EXPECT_EQ(record.iteration, 2);
  EXPECT_EQ(record.trajectories, 3) << "counts run through";
  EXPECT_EQ(record.steps, 5);
  EXPECT_EQ(record.return_std, 0.0);
  EXPECT_EQ(trainer.trajectories(), 3);
  EXPECT_EQ(trainer.steps(), 5);
}

using ToldCase = std::tuple<const char*, const char*, const char*>;  // algorithm, evidence, environment

class ToldAsSteps : public testing::TestWithParam<ToldCase> {};

TEST_P(ToldAsSteps, GiveTheSameBitsAsADigestedBatch) {
  const auto& [algorithm, evidence, environment] = GetParam();
  Configuration configuration = configured({std::string("algo.name=") + algorithm, "algo.batch=11", "algo.window=3",
                                            std::string("policy.evidence=") + evidence, "env.discount=0.97"});
  configuration.env.id = environment;
  Session digested(configuration), steps(configuration);
  for (Index k = 1; k <= 5; ++k) {
    const TrajectoryBatch batch = steps.collector.collect_steps(steps.trainer.parameters(), k, 0, 11);
    ASSERT_EQ(batch.size(), 11);
    steps.trainer.tell(batch);
    const IterationRecord expected = digested.iterate(), record = steps.trainer.update();
    ASSERT_EQ(bits(record), bits(expected)) << "iteration " << k;
    ASSERT_EQ(bits(steps.trainer.parameters()), bits(digested.trainer.parameters())) << "iteration " << k;
  }
  EXPECT_GT(norm(steps.trainer.parameters()), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Trainer, ToldAsSteps,
                         testing::Values(ToldCase{"rpg", "moments", "CartPole"}, ToldCase{"rpg", "steps", "CartPole"},
                                         ToldCase{"bh-pg", "moments", "CartPole"}, ToldCase{"rpg", "moments", "LQR"},
                                         ToldCase{"gpomdp", "moments", "CartPole"},
                                         ToldCase{"reinforce", "moments", "CartPole"},
                                         ToldCase{"reinforce", "steps", "CartPole"}));

TEST(Trainer, SkipsAndCountsAnUpdateWhoseGradientIsNotFinite) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    Trainer trainer(scalar_policy(),
                    std::make_unique<ScriptedEstimator>(4, [bad](Index call) { return call == 2 ? bad : 0.5; }),
                    adam({.rate = 0.1}), {.horizon = 1});
    // Adam that never saw the bad gradient: neither its moments nor its count of steps may have noticed it.
    std::vector<double> expected{0.0};
    const auto reference = adam({.rate = 0.1});
    for (Index k = 1; k <= 4; ++k) {
      trainer.tell(one_step_batch({1.0}));
      const IterationRecord record = trainer.update();
      if (k != 2) reference->ascend(expected, std::vector{0.5});
      EXPECT_EQ(record.skipped, k < 2 ? 0 : 1);
      EXPECT_EQ(std::isfinite(record.gradient_norm), k != 2) << "the record shows what came";
      EXPECT_EQ(bits(trainer.parameters()), bits(expected)) << "iteration " << k;
    }
  }
}

TEST(Trainer, StopsWhenAParameterIsNotFinite) {
  Trainer trainer(scalar_policy(),
                  std::make_unique<ScriptedEstimator>(4, [](Index call) { return call == 3 ? 1e150 : 1.0; }),
                  constant_step(1e200), {.horizon = 1});
  for (int k = 0; k < 2; ++k) {
    trainer.tell(one_step_batch({1.0}));
    EXPECT_NO_THROW(trainer.update());
  }
  trainer.tell(one_step_batch({1.0}));
  expect_throw<RunError>([&] { trainer.update(); }, "iteration 3: a parameter is not finite");
}

TEST(Trainer, NamesWhereASimulationWentWrong) {
  // The state is multiplied by 1e200 a step: the second one overflows.
  for (const char* evidence : {"moments", "steps"}) {
    expect_throw<BrokenTrajectory>(
        [&] {
          train(configured(
              {"env.id=LQR", "lqr.dynamics=[1e200, 0.0, 0.0, 1e200]", std::string("policy.evidence=") + evidence}));
        },
        "LinearQuadratic-v0, iteration 1, trajectory 0, step 1");
  }
}

TEST(Trainer, TakesParametersOfItsOwnSizeOnly) {
  Session session(configured({}));
  expect_throw([&] { session.trainer.set_parameters({1.0}); }, "the policy has 4 parameters, not 1");
  expect_throw([&] { session.trainer.set_parameters({1.0, 2.0, kNan, 0.0}); }, "a parameter is not finite");
  session.trainer.set_parameters({0.1, 0.2, 0.3, 0.4});
  EXPECT_EQ(session.trainer.ask().at(0).behavior, (std::vector{0.1, 0.2, 0.3, 0.4}));
}

}  // namespace
}  // namespace retropg::test
