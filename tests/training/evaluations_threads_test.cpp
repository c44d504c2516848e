#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "retropg/core/numerics.hpp"
#include "retropg/statistics/statistics.hpp"
#include "retropg/training/evaluate.hpp"
#include "support/breaking_environment.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

using Bits = std::vector<std::vector<std::uint64_t>>;

struct Watched {
  Bits records;
  std::map<Index, Evaluation> evaluations;
  std::map<Index, std::vector<double>> iterates;  // after the iteration
  RunResult result;
};

Watched watched(std::vector<std::string> settings) {
  settings.insert(settings.end(), {"train.iterations=7", "algo.batch=5", "env.horizon=50"});
  TrainingRun run(configured(settings));
  Watched seen;
  seen.result = run.train([&](const IterationRecord& record) {
    seen.records.push_back(bits(record));
    const Parameters theta = run.trainer().parameters();
    seen.iterates[record.iteration] = {theta.begin(), theta.end()};
    if (record.evaluation) seen.evaluations[record.iteration] = *record.evaluation;
    return true;
  });
  return seen;
}

TEST(Evaluations, LeaveTheRunAsItIs) {
  for (const std::string algorithm : {"rpg", "svrpg", "pgpe"}) {
    const Watched without = watched({"algo.name=" + algorithm});
    const Watched with = watched({"algo.name=" + algorithm, "train.eval_every=1"});
    EXPECT_EQ(without.records, with.records);
    EXPECT_EQ(bits(without.result.output), bits(with.result.output));
    EXPECT_EQ(without.result.trajectories, with.result.trajectories) << "they do not count";
    EXPECT_TRUE(without.evaluations.empty());
    EXPECT_EQ(with.evaluations.size(), 7U);
  }
}

TEST(Evaluations, AreOfTheMeanPolicyAfterTheUpdateInEpisodesOfTheirOwn) {
  const Watched run = watched({"train.eval_every=3", "train.eval_episodes=40", "train.seed=5"});
  const Configuration configuration = configured({"env.horizon=50"});
  const EnvironmentDefinition environment = make_environment(configuration);
  const auto policy = make_policy(configuration, environment);
  const Workers workers(1);
  Collector fresh(environment, *policy, {.seed = (std::uint64_t{1} << 63) + 5, .deterministic = true}, workers);
  ASSERT_EQ(run.evaluations.size(), 2U);
  const auto expect_mean = [&](const Evaluation& evaluation, Index iteration) {
    const std::vector<double> returns = fresh.collect(run.iterates.at(iteration), iteration, 0, 40).returns;
    EXPECT_EQ(evaluation.mean, mean(returns));
    EXPECT_EQ(evaluation.half_width, mean_estimate(returns, 0.95).student_t);
    EXPECT_GT(evaluation.half_width, 0.0);
    EXPECT_EQ(evaluation.episodes, 40);
  };
  for (const auto& [iteration, evaluation] : run.evaluations) expect_mean(evaluation, iteration);
  ASSERT_TRUE(run.result.last_evaluation);
  expect_mean(*run.result.last_evaluation, 7);
}

TEST(Evaluations, DoNotDependOnThreads) {
  for (const std::string policy : {"linear-gaussian", "mlp-gaussian"}) {
    const std::vector<std::string> settings = {"policy.kind=" + policy, "train.eval_every=2"};
    std::vector<std::string> one = settings, three = settings;
    one.push_back("train.threads=1");
    three.push_back("train.threads=3");
    const Watched a = watched(one), b = watched(three);
    for (const auto& [iteration, evaluation] : a.evaluations) {
      EXPECT_EQ(evaluation.mean, b.evaluations.at(iteration).mean);
      EXPECT_EQ(evaluation.half_width, b.evaluations.at(iteration).half_width);
    }
    EXPECT_EQ(a.result.last_evaluation->mean, b.result.last_evaluation->mean);
  }
}

TEST(Evaluations, AtTheEndComeOnce) {
  EXPECT_TRUE(watched({"train.eval_every=3"}).result.last_evaluation);
  EXPECT_TRUE(watched({"train.eval_every=100"}).result.last_evaluation);
  EXPECT_FALSE(watched({"train.eval_every=7"}).result.last_evaluation) << "the last record has it";
  EXPECT_FALSE(watched({}).result.last_evaluation);
  TrainingRun stopped(configured({"train.iterations=7", "train.eval_every=3"}));
  EXPECT_FALSE(stopped.train([](const IterationRecord&) { return false; }).last_evaluation) << "it may go on";
}

TEST(Evaluations, LeaveOutBrokenEpisodes) {
  // Numbers grow without a limit: every episode breaks sooner or later.
  const Configuration configuration = configured(
      {"env.id=LQR", "env.horizon=400", "lqr.dynamics=[10, 0, 0, 10]", "lqr.input=[1, 0]", "lqr.start_range=1"});
  const EnvironmentDefinition environment = make_environment(configuration);
  const auto policy = make_policy(configuration, environment);
  const Workers workers(1);
  IterateEvaluation evaluation(environment, *policy, 1, 4, workers);
  const Evaluation broken = evaluation(policy->initial_parameters(1), 1);
  EXPECT_EQ(broken.episodes, 0);
  EXPECT_TRUE(std::isnan(broken.mean));
}

TEST(Evaluations, KeepTheEpisodesOfOtherSlicesWhenAWholeSliceIsBroken) {
  constexpr Index kSlice = 64;  // the fewest, of so long a task
  constexpr std::uint64_t kSeed = (std::uint64_t{1} << 63) + 1;
  std::vector<Break> breaks;
  for (const Index iteration : {0, 3}) {
    for (Index j = 0; j < kSlice; ++j) {
      breaks.push_back({.start = breaking_start(kSeed, iteration, j),
                        .step = 2,
                        .part = BrokenPart::kReward,
                        .value = std::numeric_limits<double>::infinity()});
    }
  }
  EnvironmentDefinition environment = breaking(breaks);
  environment.horizon = 100'000;
  const auto policy = make_policy(configured({}), environment);
  const std::vector<double> theta = policy->initial_parameters(1);
  const Workers workers(1);
  EXPECT_EQ(IterateEvaluation(environment, *policy, 1, kSlice + 10, workers)(theta, 3).episodes, 10);
  EXPECT_EQ(final_episodes(environment, *policy, theta, 1, kSlice + 10, workers).returns.size(), 10U);
}

TEST(Evaluations, ShowProgressWithinTheEpisodesOfALongTask) {
  const Configuration configuration = configured({"env.horizon=1000"});
  const EnvironmentDefinition environment = make_environment(configuration);
  const auto policy = make_policy(configuration, environment);
  const std::vector<double> theta = policy->initial_parameters(1);
  std::vector<Index> seen;
  const std::vector<double> watched =
      evaluate(environment, *policy, theta, {.progress = [&](Index done) { seen.push_back(done); }});
  EXPECT_EQ(seen, (std::vector<Index>{20, 40, 60, 80, 100}));
  EXPECT_EQ(watched, evaluate(environment, *policy, theta, {})) << "in one slice";
}

}  // namespace
}  // namespace retropg::test
