#include "retropg/training/trainer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/storage/safetensors.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/many_threads.hpp"
#include "support/scripted_trainer.hpp"
#include "support/session.hpp"

namespace retropg {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> vector_of(Parameters theta) {
  return {theta.begin(), theta.end()};
}

/// Asks for two behaviors an iteration, the second one beside the current parameters.
class TwoDraws final : public Estimator {
 public:
  std::vector<Draw> plan(Index, Parameters theta, Index) override {
    return {{.behavior = {theta.begin(), theta.end()}, .count = 2}, {.behavior = {theta[0] + 1.0}, .count = 3}};
  }
  Estimate estimate(Parameters, std::vector<Batch> fresh, const OrderedSum&) override {
    for (const Batch& batch : fresh) {
      behaviors.push_back(batch.behavior.at(0));
      sizes.push_back(batch.evidence->size());
    }
    return {.gradient = {1.0}, .diagnostics = {}};
  }
  double bytes_needed(double, double) const override { return 0.0; }
  void state(Archive&) override {}

  std::vector<double> behaviors;
  std::vector<Index> sizes;
};

// ------------------------------------------------------------------------------------------------ ask, tell, update

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
  expect_throw([&] { trainer.tell(one_step_batch({1.0})); }, "every draw of this iteration is answered: call update");
  expect_throw([&] { trainer.tell(Batch{}); }, "every draw of this iteration is answered: call update");
  const IterationRecord record = trainer.update();
  EXPECT_EQ(record.trajectories, 2) << "the refused answers left nothing behind";
  EXPECT_EQ(record.return_mean, 1.5);
}

TEST(Trainer, RefusesToUpdateBeforeEveryDrawIsAnswered) {
  Trainer trainer = counting_trainer({.horizon = 1});
  expect_throw([&] { trainer.update(); }, "0 of 1 draws of this iteration are answered");
  trainer.tell(one_step_batch({1.0}));
  EXPECT_EQ(trainer.update().iteration, 1);
  expect_throw([&] { trainer.update(); }, "0 of 1 draws of this iteration are answered");

  Trainer two(scalar_policy(), std::make_unique<TwoDraws>(), constant_step(1.0), {.horizon = 1});
  two.tell(one_step_batch({1.0}));
  expect_throw([&] { two.update(); }, "1 of 2 draws of this iteration are answered");
  EXPECT_EQ(two.parameters()[0], 0.0) << "nothing moved";
  EXPECT_EQ(two.trajectories(), 0);
}

TEST(Trainer, RefusesEmptyAndOversizedBatches) {
  Trainer trainer = counting_trainer({.horizon = 1});
  expect_throw([&] { trainer.tell(one_step_batch({})); }, "a draw of 4 trajectories was answered with 0");
  expect_throw([&] { trainer.tell(Batch{}); }, "a draw of 4 trajectories was answered with 0");
  expect_throw([&] { trainer.tell(one_step_batch({1, 2, 3, 4, 5})); }, "a draw of 4 trajectories was answered with 5");
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

// ------------------------------------------------------------------------------------------- when a run is finished

TEST(Trainer, NeverExceedsItsBudget) {
  Session session(configured({"train.budget=25", "algo.batch=10"}));
  std::vector<Index> asked, collected;
  while (!session.trainer.finished()) {
    asked.push_back(session.trainer.ask().at(0).count);
    collected.push_back(session.iterate().trajectories);
  }
  EXPECT_EQ(asked, (std::vector<Index>{10, 10, 5})) << "the last batch is partial";
  EXPECT_EQ(collected, (std::vector<Index>{10, 20, 25}));
}

TEST(Trainer, StopsOnTheBudgetWithoutAnEmptyBatch) {
  for (const auto& [budget, batch, iterations] : {std::tuple{20, 10, 2}, {7, 10, 1}, {1, 1, 1}, {21, 10, 3}}) {
    const RunResult result =
        train(configured({"train.budget=" + std::to_string(budget), "algo.batch=" + std::to_string(batch)}));
    EXPECT_EQ(result.trajectories, budget);
    EXPECT_EQ(result.iterations, iterations);
  }
}

TEST(Trainer, LeavesOfABudgetWhatPartialAnswersDidNotUse) {
  Trainer trainer = counting_trainer({.iterations = 0, .budget = 9, .horizon = 1});
  std::vector<Index> asked;
  while (!trainer.finished()) {
    asked.push_back(trainer.ask().at(0).count);
    trainer.tell(asked.size() < 3 ? one_step_batch({1, 2, 3})
                                  : one_step_batch(std::vector<double>(as_size(asked.back()), 1.0)));
    trainer.update();
  }
  EXPECT_EQ(asked, (std::vector<Index>{4, 4, 3}));
  EXPECT_EQ(trainer.trajectories(), 9);
}

TEST(Trainer, StopsAfterItsIterationsOrItsBudgetWhicheverComesFirst) {
  EXPECT_EQ(train(configured({"train.iterations=4", "algo.batch=5"})).iterations, 4);
  EXPECT_EQ(train(configured({"train.iterations=4", "algo.batch=5", "train.budget=1000"})).trajectories, 20);
  EXPECT_EQ(train(configured({"train.iterations=4", "algo.batch=5", "train.budget=12"})).trajectories, 12);
  EXPECT_EQ(TrainingRun(configured({"train.iterations=4", "algo.batch=5", "train.budget=12"})).planned_iterations(), 3);
  EXPECT_EQ(TrainingRun(configured({"train.iterations=4", "algo.batch=5", "train.budget=1000"})).planned_iterations(),
            4);
  EXPECT_EQ(TrainingRun(configured({"algo.batch=5", "train.budget=11"})).planned_iterations(), 3);
  EXPECT_EQ(TrainingRun(configured({})).planned_iterations(), 1000);

  Trainer trainer = counting_trainer({.iterations = 2, .horizon = 1});
  EXPECT_EQ(trainer.iteration(), 1);
  for (int k = 0; k < 2; ++k) {
    EXPECT_FALSE(trainer.finished());
    trainer.tell(one_step_batch({1.0}));
    trainer.update();
  }
  EXPECT_TRUE(trainer.finished());
  EXPECT_EQ(trainer.iteration(), 3) << "the iteration that would be next";
}

TEST(Trainer, NeedsALimit) {
  expect_throw([] { counting_trainer({.iterations = 0, .budget = 0}); },
               "a run needs a number of iterations or a budget of trajectories");
}

TEST(Trainer, EndsAfterTheIterationInWhichTheObserverSaysNo) {
  Index seen = 0;
  const RunResult result = train(configured({"train.iterations=50"}),
                                 [&](const IterationRecord& record) { return (seen = record.iteration) < 7; });
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.iterations, 7);
  EXPECT_EQ(result.trajectories, 70);
  EXPECT_FALSE(train(configured({"train.iterations=3"}), [](const IterationRecord&) { return true; }).interrupted);
}

TEST(Trainer, IsAnsweredByTrainAsByHand) {
  for (const char* algorithm : {"rpg", "reinforce"}) {  // another credit, another gradient
    const Configuration configuration = configured(
        {std::string("algo.name=") + algorithm, "train.iterations=6", "env.discount=0.95", "env.horizon=30"});
    Session session(configuration);
    train(configuration, [&](const IterationRecord& record) {
      EXPECT_EQ(bits(record), bits(session.iterate())) << algorithm;
      return true;
    });
    EXPECT_TRUE(session.trainer.finished());
  }
}

TEST(Trainer, HandsOutWhatTheRecordsSaid) {
  std::vector<IterationRecord> records;
  const RunResult result = train(configured({"train.iterations=40", "train.output=last"}),
                                 [&](const IterationRecord& record) { return records.push_back(record), true; });
  ASSERT_EQ(records.size(), 40u);
  double best = -kInfinity;
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].iteration, static_cast<Index>(i) + 1);
    best = std::max(best, records[i].return_mean);
  }
  EXPECT_EQ(result.final_return, records.back().return_mean);
  EXPECT_EQ(result.best_return, best);
  EXPECT_EQ(result.steps, records.back().steps);
  EXPECT_EQ(result.output, result.last);
  EXPECT_NE(result.best, result.last);
}

// ----------------------------------------------------------------------------------------------- the iterate handed
// out

Trainer after_rewards(const std::vector<double>& rewards, Output output) {
  Trainer trainer = counting_trainer({.iterations = 100, .output = output, .horizon = 1});
  for (const double reward : rewards) {
    trainer.tell(one_step_batch({reward}));
    trainer.update();
  }
  return trainer;
}

TEST(Trainer, HandsOutTheIterateWithTheBestBatch) {
  const Trainer trainer = after_rewards({1.0, 5.0, 3.0, 4.0}, Output::kBest);
  EXPECT_EQ(trainer.best_return(), 5.0);
  EXPECT_EQ(trainer.best()[0], 1.0) << "the parameters that earned 5, not those after the update";
  EXPECT_EQ(trainer.output()[0], 1.0);
  EXPECT_EQ(after_rewards({2.0, 2.0, 2.0}, Output::kBest).output()[0], 0.0) << "the first of equals";
  EXPECT_EQ(after_rewards({-3.0, -2.0}, Output::kBest).output()[0], 1.0) << "returns may be negative";
}

TEST(Trainer, HandsOutTheLastIterate) {
  const Trainer trainer = after_rewards({1.0, 5.0, 3.0}, Output::kLast);
  EXPECT_EQ(trainer.output()[0], 3.0);
  EXPECT_EQ(trainer.best()[0], 1.0) << "the best is known whatever is handed out";
}

TEST(Trainer, HandsOutTheStartBeforeTheFirstIteration) {
  for (const Output output : {Output::kBest, Output::kLast, Output::kRandom}) {
    const Trainer trainer = after_rewards({}, output);
    EXPECT_EQ(trainer.output()[0], 0.0);
    EXPECT_EQ(trainer.best_return(), -kInfinity);
  }
}

TEST(Trainer, HandsOutAnIterateThatOnlyTheSeedChooses) {
  // The same whatever the returns, and another for another seed (uniformity: trainer_statistical_test.cpp).
  std::map<double, int> chosen;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    double first = 0.0;
    for (const double reward : {1.0, -7.0}) {
      Trainer trainer = counting_trainer({.seed = seed, .output = Output::kRandom, .horizon = 1});
      for (int k = 0; k < 5; ++k) {
        trainer.tell(one_step_batch({reward * k}));
        trainer.update();
      }
      if (reward == 1.0) first = trainer.output()[0];
      EXPECT_EQ(trainer.output()[0], first);
    }
    ++chosen[first];
  }
  EXPECT_EQ(chosen.size(), 5u) << "every iterate of five is met in 50 seeds";
  EXPECT_EQ(chosen.begin()->first, 0.0);
  EXPECT_EQ(chosen.rbegin()->first, 4.0) << "only iterates that were tried, not the one after the last update";
}

// ------------------------------------------------------------------------------------------------ numbers gone wrong

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
                  std::make_unique<ScriptedEstimator>(4, [](Index call) { return call == 3 ? 1e200 : 1.0; }),
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
    expect_throw<RunError>(
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

// --------------------------------------------------------------------------------------------------- save and resume

using Saved = std::map<std::string, std::vector<double>>;

/// The state as it comes back from a file.
Saved saved(Trainer& trainer) {
  Archive archive(Archive::Mode::kSave);
  trainer.state(archive);
  const TemporaryFolder folder;
  write_safetensors(folder / "state", {.metadata = {}, .values = archive.entries()});
  return read_safetensors(folder / "state").values;
}

void restore(Trainer& trainer, const Saved& state) {
  Archive archive(state);
  trainer.state(archive);
}

std::map<std::string, std::vector<std::uint64_t>> state_bits(const Saved& state) {
  std::map<std::string, std::vector<std::uint64_t>> result;
  for (const auto& [name, values] : state) result[name] = bits(values);
  return result;
}

using ResumeCase = std::tuple<const char*, const char*>;  // algorithm, evidence

class Resumed : public testing::TestWithParam<ResumeCase> {
 protected:
  static Configuration configuration() {
    const auto& [algorithm, evidence] = GetParam();
    return configured({std::string("algo.name=") + algorithm, std::string("policy.evidence=") + evidence,
                       "algo.batch=6", "algo.window=4", "train.budget=57", "train.output=random"});
  }
};

TEST_P(Resumed, ContinuesByteForByteFromEveryIteration) {
  Session whole(configuration());
  std::vector<Saved> states{saved(whole.trainer)};
  std::vector<std::vector<std::uint64_t>> records;
  while (!whole.trainer.finished()) {
    records.push_back(bits(whole.iterate()));
    states.push_back(saved(whole.trainer));
  }
  ASSERT_EQ(records.size(), 10u);
  for (std::size_t k = 0; k < records.size(); ++k) {  // before the first, while the window fills, when it is full
    Session resumed(configuration());
    restore(resumed.trainer, states[k]);
    ASSERT_EQ(state_bits(saved(resumed.trainer)), state_bits(states[k])) << "saved again after iteration " << k;
    for (std::size_t next = k; next < records.size(); ++next) {
      ASSERT_FALSE(resumed.trainer.finished());
      ASSERT_EQ(bits(resumed.iterate()), records[next]) << "iteration " << next + 1 << " after a stop at " << k;
    }
    EXPECT_TRUE(resumed.trainer.finished());
    ASSERT_EQ(state_bits(saved(resumed.trainer)), state_bits(states.back()));
    EXPECT_EQ(bits(resumed.trainer.parameters()), bits(whole.trainer.parameters()));
    EXPECT_EQ(bits(resumed.trainer.best()), bits(whole.trainer.best()));
    EXPECT_EQ(bits(resumed.trainer.output()), bits(whole.trainer.output()));
    EXPECT_EQ(resumed.trainer.best_return(), whole.trainer.best_return());
    EXPECT_EQ(resumed.trainer.steps(), whole.trainer.steps());
  }
}

TEST_P(Resumed, GoesBackToWhereItWas) {
  // Restored into a trainer that has gone on with other trajectories: nothing of those may remain.
  Session session(configuration());
  for (int k = 0; k < 5; ++k) session.iterate();
  const Saved state = saved(session.trainer);
  std::vector<std::vector<std::uint64_t>> records;
  for (int k = 0; k < 3; ++k) records.push_back(bits(session.iterate()));
  restore(session.trainer, state);
  session.trainer.set_parameters(std::vector<double>(4, 0.5));
  for (int k = 0; k < 3; ++k) session.iterate();
  restore(session.trainer, state);
  for (const auto& record : records) ASSERT_EQ(bits(session.iterate()), record);
}

INSTANTIATE_TEST_SUITE_P(Trainer, Resumed,
                         testing::Combine(testing::Values("rpg", "miw-pg", "bh-pg", "gpomdp", "reinforce"),
                                          testing::Values("moments", "steps")));

TEST(Trainer, KeepsTheCountOfSkippedUpdatesOverAResume) {
  const auto make = [] {
    return Trainer(scalar_policy(),
                   std::make_unique<ScriptedEstimator>(4, [](Index call) { return call == 1 ? kNan : 1.0; }), adam({}),
                   {.horizon = 1});
  };
  Trainer first = make(), second = make();
  first.tell(one_step_batch({1.0}));
  EXPECT_EQ(first.update().skipped, 1);
  restore(second, saved(first));
  second.tell(one_step_batch({1.0}));
  EXPECT_EQ(second.update().skipped, 1);
}

TEST(Trainer, IsSavedBetweenIterationsOnly) {
  Session session(configured({}));
  session.trainer.ask();
  EXPECT_NO_THROW(saved(session.trainer)) << "asking decides nothing";
  answer(session.trainer, session.collector);
  expect_throw([&] { saved(session.trainer); }, "between iterations only");
}

TEST(Trainer, NamesWhatASavedStateLacks) {
  Session session(configured({"algo.window=2"}));
  session.iterate();
  const Saved state = saved(session.trainer);
  for (const auto& [name, values] : state) {
    Saved broken = state;
    broken.erase(name);
    Session other(configured({"algo.window=2"}));
    expect_throw([&] { restore(other.trainer, broken); }, "'" + name + "'");
  }
}

// ------------------------------------------------------------------------------------------- same seed, same bits

struct Trained {
  std::vector<std::vector<std::uint64_t>> records;
  std::vector<std::uint64_t> last, best;
  bool operator==(const Trained&) const = default;
};

Trained trained(Configuration configuration, Index threads, Index lanes) {
  configuration.train.threads = threads;
  configuration.train.lanes = lanes;
  Trained result;
  const RunResult run = train(configuration, [&](const IterationRecord& record) {
    result.records.push_back(bits(record));
    return true;
  });
  result.last = bits(run.last);
  result.best = bits(run.best);
  return result;
}

using ThreadsCase = std::tuple<const char*, const char*, const char*>;  // environment, algorithm, evidence

class TrainerThreads : public testing::TestWithParam<ThreadsCase> {
 protected:
  ManyThreads many_threads;
  static Configuration configuration() {
    const auto& [environment, algorithm, evidence] = GetParam();
    // 37 trajectories fill neither a chunk nor a block.
    return configured({std::string("env.id=") + environment, std::string("algo.name=") + algorithm,
                       std::string("policy.evidence=") + evidence, "algo.batch=37", "algo.window=3",
                       "lqr.process_noise=0.1", "train.iterations=6"});
  }
};

TEST_P(TrainerThreads, DoNotChangeABit) {
  const Trained expected = trained(configuration(), 1, 32);
  EXPECT_NE(expected.last, bits(std::vector<double>(expected.last.size(), 0.0))) << "something was learned";
  for (const Index threads : {2, 3}) EXPECT_EQ(trained(configuration(), threads, 32), expected) << threads;
}

TEST_P(TrainerThreads, AndLanesDoNotChangeABit) {
  const Trained expected = trained(configuration(), 1, 32);
  for (const Index lanes : {4, 8, 12, 40, 64}) {
    EXPECT_EQ(trained(configuration(), lanes % 3 + 1, lanes), expected) << lanes << " lanes";
  }
}

TEST_P(TrainerThreads, ButTheSeedDoes) {
  Configuration other = configuration();
  other.train.seed = 2;
  EXPECT_NE(trained(other, 1, 32), trained(configuration(), 1, 32));
}

INSTANTIATE_TEST_SUITE_P(
    Trainer, TrainerThreads,
    testing::Values(ThreadsCase{"CartPole", "rpg", "moments"}, ThreadsCase{"CartPole", "rpg", "steps"},
                    ThreadsCase{"CartPole", "miw-pg", "moments"}, ThreadsCase{"CartPole", "bh-pg", "moments"},
                    ThreadsCase{"CartPole", "bh-pg", "steps"}, ThreadsCase{"CartPole", "gpomdp", "moments"},
                    ThreadsCase{"LQR", "rpg", "moments"}, ThreadsCase{"Bandit", "rpg", "auto"}));

TEST(TrainerThreadsResumed, ContinuesWithAnotherNumberOfThreads) {
  const ManyThreads many_threads;
  Configuration one = configured({"algo.batch=13", "train.iterations=8", "train.threads=1", "train.lanes=64"});
  Configuration three = configured({"algo.batch=13", "train.iterations=8", "train.threads=3", "train.lanes=4"});
  Session whole(one), resumed(three);
  for (int k = 0; k < 4; ++k) whole.iterate();
  restore(resumed.trainer, saved(whole.trainer));
  for (int k = 0; k < 4; ++k) ASSERT_EQ(bits(resumed.iterate()), bits(whole.iterate()));
  EXPECT_EQ(state_bits(saved(resumed.trainer)), state_bits(saved(whole.trainer)));
}

}  // namespace
}  // namespace retropg
