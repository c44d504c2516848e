// Runs that begin with a pilot trajectory.
#include <gtest/gtest.h>

#include <cmath>

#include "retropg/configuration/task_scale.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/core/archive.hpp"
#include "retropg/rollout/pilot.hpp"
#include "support/expect_throw.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

Configuration piloted(std::vector<std::string> more = {}) {
  std::vector<std::string> settings = {"policy.scaling=pilot", "policy.width=0.5", "algo.name=nes", "algo.batch=4",
                                       "train.budget=21"};
  settings.insert(settings.end(), more.begin(), more.end());
  return configured(settings);
}

TEST(Pilot, ActionsAreUniformInTheirRanges) {
  const EnvironmentDefinition environment = cart_pole();
  std::vector<double> actions;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const TrajectoryBatch batch = pilot_trajectory(environment, seed);
    actions.insert(actions.end(), batch.actions.begin(), batch.actions.end());
  }
  const auto [low, high] = environment.action_ranges.front();
  double sum = 0.0, squares = 0.0;
  for (const double action : actions) {
    EXPECT_TRUE(action >= low && action <= high);
    sum += action;
    squares += action * action;
  }
  // Bounds of six standard errors: a false alarm has a probability below 1e-8.
  const auto count = static_cast<double>(actions.size());
  EXPECT_NEAR(sum / count, 0.0, 6.0 * high / std::sqrt(3.0 * count));
  EXPECT_NEAR(squares / count, high * high / 3.0, 6.0 * high * high * std::sqrt(4.0 / 45.0 / count));
}

TEST(Pilot, WithoutRangesActionsAreZero) {
  const Configuration configuration = configured({"env.id=LQR"});
  const TrajectoryBatch batch = pilot_trajectory(make_environment(configuration), 3);
  EXPECT_EQ(batch.steps(), 20);
  EXPECT_EQ(batch.actions, std::vector<double>(batch.actions.size(), 0.0));
}

TEST(Pilot, ThatScalesNothingCanBeToldAnew) {
  Trainer trainer = make_trainer(piloted());
  trainer.ask();
  const TrajectoryBatch good = pilot_trajectory(cart_pole(), 5);
  TrajectoryBatch zero = good;
  zero.observations.assign(zero.observations.size(), 0.0);
  trainer.tell(zero);
  expect_throw([&] { trainer.update(); }, "every observation of the pilot trajectory is 0");
  trainer.tell(good);
  trainer.update();
  EXPECT_FALSE(trainer.wants_pilot());
}

TEST(Pilot, IsADrawOfItsOwn) {
  Trainer trainer = make_trainer(piloted());
  ASSERT_TRUE(trainer.wants_pilot());
  expect_throw([&] { trainer.set_parameters(std::vector<double>(8, 0.0)); }, "only after the pilot");
  ASSERT_EQ(trainer.ask().size(), 1U);
  EXPECT_TRUE(trainer.ask().front().pilot);
  EXPECT_EQ(trainer.ask().front().count, 1);
  EXPECT_TRUE(trainer.wants_steps());

  const TrajectoryBatch batch = pilot_trajectory(cart_pole(), 5);
  trainer.tell(batch);
  const IterationRecord record = trainer.update();
  EXPECT_EQ(record.iteration, 0);
  EXPECT_EQ(record.trajectories, 1);
  EXPECT_EQ(record.steps, batch.steps());
  EXPECT_DOUBLE_EQ(record.return_mean, static_cast<double>(batch.steps()));
  EXPECT_EQ(trainer.iteration(), 1);
  EXPECT_FALSE(trainer.wants_pilot());
  EXPECT_FALSE(trainer.ask().front().pilot);
  EXPECT_EQ(std::vector<double>(trainer.pilot().begin(), trainer.pilot().end()), observation_root_mean_squares(batch));
}

TEST(Pilot, CountsAgainstTheBudget) {
  TrainingRun run(piloted());
  EXPECT_EQ(run.planned_iterations(), 5);
  const RunResult result = run.train();
  EXPECT_EQ(result.trajectories, 21);
  EXPECT_EQ(result.iterations, 5);
  expect_throw([] { TrainingRun(piloted({"train.budget=1"})); }, "the pilot trajectory takes up the whole budget");
}

TEST(Pilot, AloneIsNoRun) {
  Configuration configuration = piloted({"train.steps=1"});
  configuration.train.budget = 0;
  const RunResult result = train(configuration);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(result.trajectories, 5);
}

/// What the pilot finds, given by hand, gives the same run: scales and widths are all that it decides.
TEST(Pilot, DecidesScalesAndNothingElse) {
  TrainingRun run(piloted());
  std::vector<double> returns, given_returns;
  run.train([&](const IterationRecord& record) {
    returns.push_back(record.return_mean);
    return true;
  });
  Configuration given = run.policy_configuration();
  EXPECT_FALSE(needs_pilot(given));
  given.train.budget = 20;
  train(given, [&](const IterationRecord& record) {
    given_returns.push_back(record.return_mean);
    return true;
  });
  EXPECT_EQ(returns, given_returns);
}

TEST(Pilot, ARunIsTheSameForAnyNumberOfThreadsAndLanes) {
  const RunResult one = train(piloted({"train.threads=1"}));
  const RunResult many = train(piloted({"train.threads=3", "train.lanes=4"}));
  EXPECT_EQ(one.last, many.last);
  EXPECT_EQ(one.best, many.best);
}

TEST(Pilot, ASavedRunGoesOnFromAnyIteration) {
  const RunResult whole = train(piloted());
  for (const Index stop : {0, 1, 3}) {
    SCOPED_TRACE(stop);
    TrainingRun first(piloted());
    if (stop > 0) first.train([&](const IterationRecord& record) { return record.iteration < stop; });
    Archive saved(Archive::Mode::kSave);
    first.trainer().state(saved);
    TrainingRun second(piloted());
    Archive restored(saved.state());
    second.trainer().state(restored);
    EXPECT_EQ(second.trainer().wants_pilot(), stop == 0);
    const RunResult rest = second.train();
    EXPECT_EQ(rest.last, whole.last);
    EXPECT_EQ(rest.trajectories, whole.trajectories);
  }
}

TEST(Pilot, AStateThatDoesNotFitLeavesTheTrainerAsItWas) {
  TrainingRun run(piloted());
  run.train([](const IterationRecord& record) { return record.iteration < 2; });
  Archive saved(Archive::Mode::kSave);
  run.trainer().state(saved);
  SavedState wrong = saved.state();
  wrong.numbers.at("trainer/pilot").pop_back();
  Archive archive(wrong);
  expect_throw([&] { run.trainer().state(archive); }, "the saved pilot has another number of observations");
  Archive after(Archive::Mode::kSave);
  run.trainer().state(after);
  EXPECT_EQ(after.state(), saved.state());
}

TEST(Pilot, ActionSpaceMethodsUseItToo) {
  const RunResult result = train(
      configured({"policy.scaling=pilot", "policy.width=0.5", "algo.name=rpg", "algo.batch=4", "train.budget=9"}));
  EXPECT_EQ(result.trajectories, 9);
  EXPECT_EQ(result.iterations, 2);
}

}  // namespace
}  // namespace retropg::test
