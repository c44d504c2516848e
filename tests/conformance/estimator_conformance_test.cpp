// What every algorithm of the registry must keep to, whatever it computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "retropg/core/numerics.hpp"
#include "retropg/configuration/registry.hpp"
#include "support/algorithm_runs.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

class EstimatorConformance : public EveryAlgorithm {};

TEST_P(EstimatorConformance, AsksForSomethingAndNeverForMoreThanTheLimit) {
  const Configuration settings = configuration();
  const EnvironmentDefinition environment = make_environment(settings);
  const auto policy = make_policy(settings, environment);
  const Workers workers;
  const OrderedSum sum(workers);
  for (const Index limit : {1, 2, 5, 6, 7, 1000}) {
    const auto estimator = make_estimator(settings, environment, *policy);
    Collector collector(environment, *policy, {.credit = estimator->credit()}, workers);
    const std::vector<double> theta = policy->initial_parameters(1);
    for (Index k = 1; k <= 5; ++k) {
      const std::vector<Draw> draws = estimator->plan(k, theta, limit, sum);
      ASSERT_FALSE(draws.empty());
      Index total = 0;
      std::vector<Batch> fresh;
      for (const Draw& draw : draws) {
        EXPECT_GE(draw.count, 1);
        EXPECT_EQ(draw.behavior.size(), theta.size());
        fresh.push_back(batch_of(collector.collect(draw.behavior, k, total, draw.count, draw.spread)));
        fresh.back().behavior = draw.behavior;
        fresh.back().spread = draw.spread;
        fresh.back().values = fresh.back().returns;
        total += draw.count;
      }
      EXPECT_LE(total, std::min(limit, estimator->largest_iteration()));
      EXPECT_EQ(estimator->estimate(theta, std::move(fresh), sum).gradient.size(), theta.size());
      estimator->keep();
    }
  }
}

TEST_P(EstimatorConformance, NeverCollectsMoreThanItsBudget) {
  Session session(configuration({"train.budget=20", "train.iterations=1000"}));
  while (!session.trainer.finished()) session.iterate();
  EXPECT_LE(session.trainer.trajectories(), 20);
  EXPECT_GT(session.trainer.trajectories(), 18);  // a last batch is cut short, not left out
}

TEST_P(EstimatorConformance, EstimatesAreFiniteAndMoveTheParameters) {
  // To the end of the poles, which fall after some 40 steps: all returns differ, and nothing excuses standing still.
  double way = 0.0;
  Session session(configuration({"env.horizon=200"}));
  while (!session.trainer.finished()) {
    std::vector<double> move(session.trainer.parameters().begin(), session.trainer.parameters().end());
    const IterationRecord record = session.iterate();
    for (std::size_t i = 0; i < move.size(); ++i) move[i] -= session.trainer.parameters()[i];
    EXPECT_GT(norm(move), 0.0) << "iteration " << record.iteration;
    way += norm(move);
    const Diagnostics& d = record.diagnostics;
    EXPECT_TRUE(std::isfinite(record.gradient_norm));
    EXPECT_GT(record.gradient_norm, 0.0);
    EXPECT_EQ(record.skipped, 0);
    EXPECT_TRUE(all_finite(session.trainer.parameters()));
    EXPECT_GT(d.effective_sample_size, 0.0);
    EXPECT_LE(d.effective_sample_size, static_cast<double>(record.trajectories) * (1.0 + 1e-12));
    EXPECT_GT(d.weight_mean, 0.0);
    EXPECT_GE(d.weight_max, d.weight_mean * (1.0 - 1e-12));
    ASSERT_FALSE(d.batches.empty());
    EXPECT_EQ(d.batches.front().age, 0);
  }
  EXPECT_GT(way, 0.5) << "nine steps of Adam at this rate are about 1";
}

TEST_P(EstimatorConformance, SameInputsGiveTheSameBitsAndOtherSeedsOthers) {
  const Outcome once = run(configuration());
  EXPECT_TRUE(run(configuration()) == once);
  EXPECT_FALSE(run(configuration({"train.seed=5"})).records == once.records);
}

/// Stops a run of `settings` after so many iterations, goes on with a restored trainer, and compares with a whole run.
void expect_resumable(const Configuration& settings, const std::vector<std::size_t>& stops) {
  const Outcome whole = run(settings);
  for (const std::size_t stop : stops) {
    Outcome parts;
    Archive saved(Archive::Mode::kSave);
    {
      Session session(settings);
      while (parts.records.size() < stop) parts.records.push_back(bits(session.iterate()));
      session.trainer.state(saved);
    }
    Session session(settings);
    Archive archive(saved.state());
    session.trainer.state(archive);
    EXPECT_EQ(session.trainer.iteration(), static_cast<Index>(stop) + 1);
    while (!session.trainer.finished()) parts.records.push_back(bits(session.iterate()));
    parts.state = state_of(session.trainer);
    EXPECT_TRUE(parts == whole) << "stopped after " << stop;
  }
}

TEST_P(EstimatorConformance, StoppedAndRestoredAnywhereItEndsInTheSameBits) {
  // Both kinds of evidence, where the algorithm leaves the choice.
  const bool free =
      !algorithm_of(configuration()).needs_steps && exploration_of(configuration()) == Exploration::kActions;
  const std::vector<std::string> kinds =
      free ? std::vector<std::string>{"moments", "steps"} : std::vector<std::string>{"auto"};
  for (const std::string& evidence : kinds) {
    SCOPED_TRACE(evidence);
    expect_resumable(configuration({"policy.evidence=" + evidence}), {0, 1, 2, 5, 8});
  }
}

TEST_P(EstimatorConformance, TakesDiscreteActionsToo) {
  for (const std::string policy : {"softmax-linear", "softmax-mlp"}) {
    const Configuration settings =
        configuration({"env.id=CartPole-v1", "policy.kind=" + policy, "policy.hidden=[4]", "optimizer.rate=0.02"});
    if (GetParam() == "bpo") {
      expect_throw([&] { run(settings); }, "does not support a spread of its actions, which bpo needs");
      continue;
    }
    SCOPED_TRACE(policy);
    expect_resumable(settings, {0, 2, 7});
    Session session(settings);
    const std::vector<double> start(session.trainer.parameters().begin(), session.trainer.parameters().end());
    while (!session.trainer.finished()) EXPECT_EQ(session.iterate().skipped, 0);
    EXPECT_NE(bits(session.trainer.parameters()), bits(start));
    EXPECT_TRUE(all_finite(session.trainer.parameters()));
  }
}

TEST_P(EstimatorConformance, LearnsDeviationsTooIfItDrawsActions) {
  for (const std::string policy : {"linear-gaussian", "mlp-gaussian"}) {
    SCOPED_TRACE(policy);
    const Configuration settings =
        configuration({"policy.kind=" + policy, "policy.hidden=[4]", "policy.learn_deviation=true"});
    if (exploration_of(settings) == Exploration::kParameters) {
      expect_throw([&] { run(settings); },
                   "policy.learn_deviation is for policies that draw actions; " + GetParam() +
                       (algorithm_of(settings).learns_deviation
                            ? " draws parameters and always learns their deviations: leave it out"
                            : " draws parameters: use hyperpolicy.learn_deviation"));
      continue;
    }
    if (GetParam() == "bpo") {
      expect_throw([&] { run(settings); }, "does not support a spread of its actions, which bpo needs");
      continue;
    }
    expect_resumable(settings, {0, 2, 7});
    Session session(settings);
    const std::vector<double> start(session.trainer.parameters().begin(), session.trainer.parameters().end());
    EXPECT_NEAR(start.back(), 0.5 * std::log(0.3), 1e-15);
    while (!session.trainer.finished()) EXPECT_EQ(session.iterate().skipped, 0);
    for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NE(session.trainer.parameters()[i], start[i]) << i;
    EXPECT_TRUE(all_finite(session.trainer.parameters()));
  }
}

TEST(EstimatorOptions, ThatKeepNumbersSurviveAStop) {
  const std::vector<std::vector<std::string>> cases{
      {"algo.name=svrpg", "algo.two_adam=true", "algo.epoch=4"},
      {"algo.name=svrpg", "algo.early_stop=true", "algo.mini_batch=4", "algo.snapshot=4"},
      {"algo.name=def-pg", "algo.mixture=random", "algo.mini_batch=6"},
      {"algo.name=bpo", "bpo.reuse=true"},
      {"algo.name=bpo", "bpo.reuse=true", "algo.window=all"},
      {"algo.name=pb-rpg", "hyperpolicy.learn_deviation=true"},
      {"algo.name=rnpg", "optimizer.kind=constant"}};
  for (std::vector<std::string> settings : cases) {
    SCOPED_TRACE(settings[0] + " " + settings[1]);
    settings.insert(settings.begin(), {"env.horizon=30", "algo.batch=6", "algo.window=3", "train.threads=1",
                                       "train.iterations=9", "optimizer.rate=0.1"});
    expect_resumable(configured(settings), {3});
  }
}

TEST_P(EstimatorConformance, SaysThatItNeedsAtLeastItsFreshBatch) {
  const Configuration settings = configuration();
  const EnvironmentDefinition environment = make_environment(settings);
  const auto policy = make_policy(settings, environment);
  const auto estimator = make_estimator(settings, environment, *policy);
  EXPECT_GE(estimator->bytes_needed(1000.0, 1.0), 6000.0);
  EXPECT_GE(estimator->bytes_needed(1000.0, 1e6), estimator->bytes_needed(1000.0, 1.0));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EstimatorConformance, testing::ValuesIn(algorithm_names()), test_name);

}  // namespace
}  // namespace retropg::test
