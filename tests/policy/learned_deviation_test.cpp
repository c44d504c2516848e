// Gaussian policies with learned deviations: parameters, actions, and who may use them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "retropg/configuration/registry.hpp"
#include "retropg/estimator/bpo.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/storage/output_folder.hpp"
#include "retropg/storage/run_folder.hpp"
#include "retropg/storage/trained_policy.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/random_batch.hpp"
#include "support/run_records.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

/// The same policy with fixed and with learned deviations.
struct Pair {
  std::unique_ptr<Policy> fixed, learned;
};

Pair linear_pair() {
  LinearGaussianOptions options{.observation_size = 3,
                                .action_size = 2,
                                .variance = {0.3, 0.8},
                                .bias = true,
                                .shift = {0.1, 0.0, -0.3},
                                .scale = {1.5, 0.0, 0.5},
                                .evidence = EvidenceKind::kSteps};
  auto fixed = linear_gaussian(options);
  options.learn_deviation = true;
  return {std::move(fixed), linear_gaussian(options)};
}

Pair network_pair() {
  MlpGaussianOptions options{.observation_size = 3,
                             .action_size = 2,
                             .hidden = {5, 4},
                             .bias = true,
                             .variance = {0.3, 0.8},
                             .shift = {0.1, 0.0, -0.3},
                             .scale = {1.5, 0.0, 0.5},
                             .action_shift = {0.2, -0.1},
                             .action_scale = {1.7, 0.6}};
  auto fixed = mlp_gaussian(options);
  options.learn_deviation = true;
  return {std::move(fixed), mlp_gaussian(options)};
}

TEST(LearnedDeviationPolicy, AddsLogSigmaToTheParametersOfTheFixedOne) {
  for (const Pair& pair : {linear_pair(), network_pair()}) {
    std::vector<double> expected = pair.fixed->initial_parameters(5);
    expected.push_back(std::log(std::sqrt(0.3)));
    expected.push_back(std::log(std::sqrt(0.8)));
    EXPECT_EQ(bits(pair.learned->initial_parameters(5)), bits(expected));
    EXPECT_EQ(pair.learned->parameter_count(), pair.fixed->parameter_count() + 2);
  }
}

TEST(LearnedDeviationPolicy, AnswersAsTheFixedOneWhereDeviationsAreEqual) {
  for (const Pair& pair : {linear_pair(), network_pair()}) {
    const auto count = as_size(pair.fixed->parameter_count());
    const std::vector<double> start = pair.learned->initial_parameters(2);
    const auto moved = [&](std::uint64_t seed) {
      std::vector<double> theta = start;
      const std::vector<double> by = random_numbers(as_index(count), 0.2, seed);
      for (std::size_t i = 0; i < count; ++i) theta[i] += by[i];
      return theta;
    };
    const std::vector<double> behavior = moved(1), theta = moved(2), weights = random_numbers(7, 1.0, 3);
    const auto means = [&](const std::vector<double>& of) { return Parameters(of).first(count); };
    TrajectoryBatch batch{.observation_size = 3, .action_size = 2};
    for (Index j = 0; j < 7; ++j) {
      for (Index t = 0; t <= j; ++t) {
        const auto seed = as_size(10 * j + t);
        batch.add(random_numbers(3, 1.0, seed), random_numbers(2, 1.0, 100 + seed), random_numbers(1, 1.0, seed)[0]);
      }
      batch.close();
    }
    const Answers fixed =
        ask(*pair.fixed->digest(means(behavior), batch, 0.9, Credit::kRewardToGo), means(theta), weights);
    const Answers learned = ask(*pair.learned->digest(behavior, batch, 0.9, Credit::kRewardToGo), theta, weights);
    for (std::size_t j = 0; j < fixed.renyi.size(); ++j) {
      EXPECT_NEAR(learned.log_ratio[j], fixed.log_ratio[j], 1e-12);
      EXPECT_NEAR(learned.renyi[j], fixed.renyi[j], 1e-12);
    }
    for (std::size_t i = 0; i < fixed.rows.size(); ++i) {
      EXPECT_NEAR(learned.rows[i / count * (count + 2) + i % count], fixed.rows[i], 1e-11);
    }
    std::vector<double> action(2), other(2);
    const std::array<double, 3> seen = {0.4, -1.1, 0.7};
    pair.fixed->mean(means(theta), seen, action);
    pair.learned->mean(theta, seen, other);
    for (std::size_t u = 0; u < 2; ++u) EXPECT_NEAR(other[u], action[u], 1e-14);
  }
}

TEST(LearnedDeviationPolicy, IsDigestedWithAndWithoutTheMeansThatItsActorNoted) {
  for (const std::string kind : {"linear-gaussian", "mlp-gaussian"}) {
    const Configuration configuration =
        configured({"policy.kind=" + kind, "policy.hidden=[5]", "policy.bias=true", "policy.learn_deviation=true"});
    const EnvironmentDefinition environment = make_environment(configuration);
    const auto policy = make_policy(configuration, environment);
    const std::vector<double> theta =
        sum_of(policy->initial_parameters(1), random_numbers(policy->parameter_count(), 0.1, 2));
    const Workers workers;
    Collector collector(environment, *policy, {.seed = 6, .lanes = 8}, workers);
    TrajectoryBatch steps = collector.collect_steps(theta, 1, 0, 19);
    ASSERT_FALSE(steps.notes.empty());
    const auto noted = policy->digest(theta, steps, 1.0, Credit::kRewardToGo);
    steps.notes.clear();
    EXPECT_EQ(bits(policy->digest(theta, steps, 1.0, Credit::kRewardToGo)->numbers()), bits(noted->numbers()));
  }
}

TEST(LearnedDeviationPolicy, BoundsTheMemoryOfATrajectory) {
  for (const Pair& pair : {linear_pair(), network_pair()}) {
    for (const Index length : {1, 7, 200}) {
      TrajectoryBatch batch{.observation_size = 3, .action_size = 2};
      for (Index t = 0; t < length; ++t) batch.add(random_numbers(3, 1.0, 1), random_numbers(2, 1.0, 2), 1.0);
      batch.close();
      const auto evidence = pair.learned->digest(pair.learned->initial_parameters(1), batch, 1.0, Credit::kOne);
      EXPECT_LE(bytes_of(*evidence), pair.learned->bytes_per_trajectory(length));
      EXPECT_GT(2 * bytes_of(*evidence), pair.learned->bytes_per_trajectory(length)) << "not far from it";
    }
  }
}

TEST(LearnedDeviationPolicy, IsRefusedByNameWhereItCannotBe) {
  const auto policy = linear_gaussian({.observation_size = 2, .action_size = 1, .learn_deviation = true});
  expect_throw([&] { bpo(*policy, {}); }, "does not support a spread of its actions, which bpo needs");
  const auto refuse = [](const std::vector<std::string>& settings, const std::string& message) {
    std::vector<std::string> all = settings;
    all.push_back("policy.learn_deviation=true");
    expect_throw([&] { make_trainer(configured(all)); }, message);
  };
  refuse({"algo.name=pgpe"},
         "policy.learn_deviation is for policies that draw actions; pgpe draws parameters: use "
         "hyperpolicy.learn_deviation");
  refuse({"algo.name=rpg", "policy.exploration=parameters"}, "rpg draws parameters: use hyperpolicy.learn_deviation");
  refuse({"algo.name=nes"}, "nes draws parameters and always learns their deviations: leave it out");
  refuse({"algo.name=bpo"}, "does not support a spread of its actions, which bpo needs");
  refuse({"policy.evidence=moments"}, "policy.evidence = \"moments\" takes a fixed variance");
  refuse({"env.id=CartPole-v1"}, "policy.learn_deviation is for Gaussian policies");
  EXPECT_FALSE(reads(configured({"algo.name=bpo"}), "policy.learn_deviation"));
  EXPECT_FALSE(reads(configured({"algo.name=pgpe"}), "policy.learn_deviation"));
  EXPECT_FALSE(reads(configured({"env.id=CartPole-v1"}), "policy.learn_deviation"));
  EXPECT_TRUE(reads(configured({"algo.name=rpg"}), "policy.learn_deviation"));
}

TEST(LearnedDeviationPolicy, IsInThePolicyFileAndEvaluatedWithItsDeviation) {
  const TemporaryFolder folder;
  TrainingRun run(configured({"algo.name=miw-pg", "policy.variance=0.04", "policy.learn_deviation=true",
                              "optimizer.rate=0.3", "train.iterations=3", "train.output=last"}));
  make_output_folder(folder / "r");
  RunFolder run_folder(folder / "r", run, "x", {});
  run_folder.finish(run.train());
  const TrainedPolicy of_run = load_trained_policy(folder / "r");
  const TrainedPolicy alone = load_trained_policy(folder / "r/policy/final.safetensors");
  ASSERT_EQ(alone.saved.parameters.size(), 5u);
  EXPECT_GT(std::abs(alone.saved.parameters.back() - std::log(0.2)), 0.1) << "it has moved";
  EXPECT_EQ(bits(alone.saved.parameters), bits(run.trainer().parameters()));
  for (const bool deterministic : {false, true}) {
    const EvaluationOptions options{.episodes = 20, .seed = 3, .deterministic = deterministic};
    EXPECT_EQ(bits(evaluate(alone, options)), bits(evaluate(of_run, options)));
    TrainedPolicy other = alone;
    other.saved.parameters.back() += 1.0;
    EXPECT_EQ(bits(evaluate(other, options)) == bits(evaluate(of_run, options)), deterministic);
  }
}

TEST(LearnedDeviationPolicy, KeepsToALimitOnTheStep) {
  Session session(configured({"algo.name=gpomdp", "env.horizon=30", "policy.learn_deviation=true", "optimizer.rate=0.5",
                              "optimizer.trust=0.05", "train.iterations=4"}));
  while (!session.trainer.finished()) {
    const IterationRecord record = session.iterate();
    ASSERT_TRUE(record.limited);
    EXPECT_LT(record.limited->factor, 0.5) << "without the limit the step is longer";
    EXPECT_LE(record.limited->divergence, 0.05 * (1.0 + 1e-6));
    EXPECT_GT(record.limited->divergence, 0.02);
  }
}

}  // namespace
}  // namespace retropg::test
