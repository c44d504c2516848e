#include "retropg/training/trainer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "support/expect_throw.hpp"
#include "support/scripted_trainer.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

TEST(Trainer, StopsAfterTheIterationThatReachesItsSteps) {
  std::vector<Index> steps;
  const auto run_with = [&](const std::string& limit) {
    steps.clear();
    return train(configured({"algo.batch=5", limit}), [&](const IterationRecord& record) {
      steps.push_back(record.steps);
      return true;
    });
  };
  run_with("train.iterations=6");
  const std::vector<Index> expected = steps;
  for (const std::size_t last : {0U, 2U, 4U}) {
    const std::vector<Index> until(expected.begin(), expected.begin() + as_index(last) + 1);
    for (const Index limit : {last == 0 ? 1 : expected[last - 1] + 1, expected[last]}) {
      EXPECT_EQ(run_with("train.steps=" + std::to_string(limit)).steps, expected[last]) << limit;
      EXPECT_EQ(steps, until) << "the same batches, none cut";
    }
  }
  EXPECT_EQ(train(configured({"algo.batch=5", "train.steps=100000", "train.iterations=3"})).iterations, 3);
  EXPECT_EQ(train(configured({"algo.batch=5", "train.steps=100000", "train.budget=12"})).trajectories, 12);
}

TEST(Trainer, PlansItsIterationsByTheSmallestLimit) {
  const std::string batch = "algo.batch=5";  // of 200 steps per trajectory
  EXPECT_EQ(TrainingRun(configured({batch, "train.steps=10000"})).planned_iterations(), 10);
  EXPECT_EQ(TrainingRun(configured({batch, "train.steps=10001"})).planned_iterations(), 11);
  EXPECT_EQ(TrainingRun(configured({batch, "train.steps=10000", "train.budget=20"})).planned_iterations(), 4);
  EXPECT_EQ(TrainingRun(configured({batch, "train.steps=10000", "train.iterations=3"})).planned_iterations(), 3);
  expect_throw(
      [] {
        TrainingRun(configured({"algo.batch=1", "train.steps=5000000000"}));
      },
      "train.steps allows about 5e+09 iterations");
}

TEST(Trainer, KnowsWhichShareOfTheRunIsDone) {
  const IterationRecord record{.iteration = 4, .trajectories = 40, .steps = 2000};
  EXPECT_EQ(share_done(record, configured({"train.iterations=16"}).train), 0.25);
  EXPECT_EQ(share_done(record, configured({"train.budget=80"}).train), 0.5);
  EXPECT_EQ(share_done(record, configured({"train.iterations=16", "train.budget=80", "train.steps=20000"}).train), 0.5);
  EXPECT_EQ(share_done(record, configured({"train.steps=1500"}).train), 1.0);
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

TEST(TrainingRun, PlansTheIterationsThatItsBudgetAllows) {
  const std::vector<std::string> sizes{"algo.snapshot=20", "algo.mini_batch=4", "env.horizon=5"};
  const auto settings = [&](std::vector<std::string> own) {
    own.insert(own.end(), sizes.begin(), sizes.end());
    return configured(own);
  };
  for (const char* budget : {"train.budget=5", "train.budget=20", "train.budget=100", "train.budget=131"}) {
    for (const std::string name : {"storm-pg", "svrpg", "srvrpg"}) {
      TrainingRun run(settings({"algo.name=" + name, "algo.epoch=4", budget}));
      const Index planned = run.planned_iterations();
      EXPECT_EQ(run.train().iterations, planned) << name << ", " << budget;
    }
  }
  EXPECT_EQ(TrainingRun(settings({"algo.name=storm-pg", "train.budget=100"})).planned_iterations(), 1 + 20);
  EXPECT_EQ(TrainingRun(settings({"algo.name=page-pg", "algo.refresh=0.25", "train.budget=100"})).planned_iterations(),
            1 + 10)
      << "80 after the first snapshot, 8 an iteration on average";
}

TEST(Trainer, HasNoMoreIterationsThanRandomNumbersHaveNames) {
  expect_throw([] { counting_trainer({.iterations = 4'000'000'001}); },
               "a run has at most 4000000000 iterations, not 4000000001");
  const auto settings = [](Index budget) {
    Configuration configuration;
    configuration.train.budget = budget;
    return configuration;
  };
  EXPECT_NO_THROW(TrainingRun(settings(40'000'000'000)));
  expect_throw([&] { TrainingRun(settings(50'000'000'000)); },
               "train.budget allows about 5e+09 iterations, after 4e+09 of which random numbers would repeat");
}

TEST(Trainer, NeedsALimit) {
  expect_throw([] { counting_trainer({.iterations = 0, .budget = 0}); },
               "a run needs a number of iterations, a budget of trajectories or a number of steps");
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

}  // namespace
}  // namespace retropg::test
