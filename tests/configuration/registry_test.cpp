#include "retropg/configuration/registry.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "retropg/configuration/train.hpp"
#include "retropg/theory/lambda.hpp"
#include "support/expect_throw.hpp"
#include "support/run_records.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

template <class E>
std::set<std::string> names(const std::vector<E>& entries) {
  std::set<std::string> result;
  for (const E& entry : entries) result.insert(entry.name);
  return result;
}

TEST(Registry, HoldsWhatTheDocumentationPromises) {
  for (const char* name :
       {"CartPoleContinuous-v0", "LinearQuadratic-v0", "GaussianBandit-v0", "HalfCheetah-v4", "Swimmer-v4", "Hopper-v4",
        "Walker2d-v4", "InvertedPendulum-v4", "InvertedDoublePendulum-v4", "Reacher-v4", "Ant-v4"}) {
    EXPECT_TRUE(names(environments()).contains(name)) << name;
  }
  for (const char* name :
       {"rpg", "rpg-theory", "miw-pg", "bh-pg", "gpomdp", "reinforce", "pgt", "pgpe", "pb-rpg", "pb-miw", "pb-bh"}) {
    EXPECT_TRUE(names(algorithms()).contains(name)) << name;
  }
  EXPECT_TRUE(names(policies()).contains("linear-gaussian"));
}

TEST(Registry, HasNoNameTwiceAndADescriptionForEach) {
  const auto check = [](const auto& entries) {
    std::vector<std::string> all;
    for (const auto& entry : entries) {
      all.push_back(entry.name);
      all.insert(all.end(), entry.aliases.begin(), entry.aliases.end());
      EXPECT_FALSE(entry.description.empty()) << entry.name;
      EXPECT_EQ(entry.description.find('\n'), std::string::npos) << entry.name;
    }
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
  };
  check(environments());
  check(policies());
  check(algorithms());
}

TEST(Registry, ReplacesAliasesAndOtherSpellingsByNames) {
  const std::vector<std::vector<std::string>> cases{{"env.id", "CartPole", "CartPoleContinuous-v0"},
                                                    {"env.id", "LQR", "LinearQuadratic-v0"},
                                                    {"env.id", "Bandit", "GaussianBandit-v0"},
                                                    {"env.id", "HalfCheetah", "HalfCheetah-v4"},
                                                    {"env.id", "Swimmer", "Swimmer-v4"},
                                                    {"env.id", "hopper", "Hopper-v4"},
                                                    {"env.id", "WALKER2D", "Walker2d-v4"},
                                                    {"env.id", "invertedpendulum", "InvertedPendulum-v4"},
                                                    {"env.id", "inverteddoublependulum", "InvertedDoublePendulum-v4"},
                                                    {"env.id", "reacher", "Reacher-v4"},
                                                    {"env.id", "ant-V4", "Ant-v4"},
                                                    {"env.id", "cartpole", "CartPoleContinuous-v0"},
                                                    {"algo.name", "RPG", "rpg"},
                                                    {"algo.name", "Storm", "storm-pg"},
                                                    {"policy.kind", "MLP", "mlp-gaussian"},
                                                    {"algo.name", "rt-pg", "rpg"},
                                                    {"algo.name", "rpg", "rpg"},
                                                    {"algo.name", "th-rpg", "rpg-theory"},
                                                    {"policy.kind", "linear", "linear-gaussian"}};
  for (const auto& names : cases) {
    Configuration expected = configured({names[0] + "=" + names[2]});
    if (!expected.policy.kind) expected.policy.kind = "linear-gaussian";
    EXPECT_EQ(canonical(configured({names[0] + "=" + names[1]})), expected) << names[1];
  }
}

TEST(Registry, TrainsTheSameUnderAnAlias) {
  EXPECT_EQ(records({"algo.name=rt-pg"}), records({"algo.name=rpg"}));
  EXPECT_EQ(records({"env.id=CartPole"}), records({"env.id=CartPoleContinuous-v0"}));
  EXPECT_EQ(records({"algo.name=pgt"}), records({"algo.name=gpomdp"})) << "without a baseline they are one number";
}

TEST(Registry, GivesEnvironmentsTheirCanonicalId) {
  for (const char* id : {"CartPole", "LQR", "Bandit"}) {
    const Configuration configuration = configured({std::string("env.id=") + id});
    EXPECT_EQ(make_environment(configuration).id, canonical(configuration).env.id);
  }
}

TEST(Registry, RefusesUnknownNamesWithTheNearestKnownOne) {
  expect_throw([] { make_environment(configured({"env.id=CartPol"})); },
               "unknown environment 'CartPol'; did you mean 'CartPole'?");
  expect_throw([] { train(configured({"algo.name=rgp"})); }, "unknown algorithm 'rgp'; did you mean 'rpg'?");
  expect_throw([] { train(configured({"policy.kind=linaer"})); }, "unknown policy 'linaer'; did you mean 'linear'?");
  expect_throw([] { canonical(configured({"algo.name=miwpg"})); }, "did you mean 'miw-pg'?");
  expect_throw([] { canonical(configured({"env.id=Zzz"})); }, "(known: CartPoleContinuous-v0, CartPole");
}

TEST(Registry, RefusesANameThatIsTaken) {
  const AlgorithmEntry algorithm = algorithms().front();
  expect_throw([&] { register_algorithm(algorithm); }, "algorithm 'rpg' is already registered");
  AlgorithmEntry under_alias = algorithm;
  under_alias.name = "rt-pg";
  under_alias.aliases.clear();
  expect_throw([&] { register_algorithm(under_alias); }, "algorithm 'rt-pg' is already registered");
  AlgorithmEntry with_alias = algorithm;
  with_alias.name = "test-unused";
  with_alias.aliases = {"gpomdp"};
  expect_throw([&] { register_algorithm(with_alias); }, "'gpomdp' is already registered");

  EnvironmentEntry environment = environments().front();
  expect_throw([&] { register_environment(environment); }, "environment 'CartPoleContinuous-v0' is already registered");
  environment.name = "CartPole";
  expect_throw([&] { register_environment(environment); }, "environment 'CartPole' is already registered");
  environment.name = "CARTPOLE";
  expect_throw([&] { register_environment(environment); }, "environment 'CARTPOLE' is already registered");
  expect_throw([] { register_policy(policies().front()); }, "policy 'linear-gaussian' is already registered");
}

TEST(Registry, RefusesNamesThatCannotBePartOfAFileOrAMessage) {
  EnvironmentEntry environment = environments().front();
  environment.aliases.clear();
  environment.name = "Test/Slash-v0";
  expect_throw([&] { register_environment(environment); },
               "environment 'Test/Slash-v0': a registered name has no slashes");
  environment.name = "Test\nLine-v0";
  expect_throw([&] { register_environment(environment); },
               "environment 'Test Line-v0': a registered name has no line breaks or other control characters");
  environment.name = "Test-v0";
  environment.aliases = {"../test"};
  expect_throw([&] { register_environment(environment); }, "environment '../test': a registered name has no slashes");
  AlgorithmEntry algorithm = algorithms().front();
  algorithm.name = "test\x1b[31m";
  algorithm.aliases.clear();
  expect_throw([&] { register_algorithm(algorithm); }, "other control characters");
}

TEST(Registry, RefusesEntriesWithoutNameOrFunction) {
  EnvironmentEntry nameless = environments().front();
  nameless.name.clear();
  expect_throw([&] { register_environment(nameless); }, "needs a name and a function that makes it");
  expect_throw(
      [] {
        register_algorithm({{"test-nothing", {}, "makes nothing"}, nullptr});
      },
      "needs a name and a function that makes it");
}

TEST(Registry, PutsHorizonAndDiscountOnTopOfTheEnvironment) {
  const EnvironmentDefinition own = make_environment(configured({}));
  EXPECT_EQ(own.horizon, 200);
  EXPECT_EQ(own.discount, 1.0);
  const EnvironmentDefinition set = make_environment(configured({"env.horizon=17", "env.discount=0.5"}));
  EXPECT_EQ(set.horizon, 17);
  EXPECT_EQ(set.discount, 0.5);
  EXPECT_EQ(make_environment(configured({"env.discount=0.0"})).discount, 0.0);
}

TEST(Registry, GivesRecursiveMethodsOneBatchAnIterationOnAverage) {
  const auto counts = [](const std::string& name, Index batch) {
    Configuration settings = configured({"algo.name=" + name, "algo.batch=" + std::to_string(batch)});
    settings.algo.refresh = 0.0;
    Session run(settings);
    const Index first = run.trainer.ask()[0].count;
    run.iterate();
    Index second = 0;
    for (const Draw& draw : run.trainer.ask()) second += draw.count;
    return std::pair(first, second);
  };
  for (const std::string name : {"svrpg", "srvrpg", "page-pg", "def-pg"}) {
    EXPECT_EQ(counts(name, 10), (std::pair<Index, Index>(55, 5))) << name;
    EXPECT_EQ(counts(name, 1), (std::pair<Index, Index>(6, 1))) << name;
  }
  EXPECT_EQ(counts("storm-pg", 10), (std::pair<Index, Index>(10, 10)));
}

TEST(Registry, NamesRulesForCoefficientsThatAreTheSame) {
  EXPECT_EQ(records({"algo.name=rpg", "algo.coefficients=fixed"}), records({"algo.name=rpg-theory"}));
  EXPECT_EQ(records({"algo.name=rpg-theory", "algo.coefficients=adaptive"}), records({"algo.name=rpg-theory"}));
}

TEST(Registry, GivesTheTheoremTheConstantsOfTheRun) {
  // Theorem 5.2 at the first iteration: window 1, M = 8 trajectories, d = 4 parameters, T = 200, zeta = the rate.
  Session session(configured({"algo.batch=8", "algo.coefficients=theorem-dependent", "algo.gradient_bound=0.5",
                              "algo.hessian_bound=0.25", "algo.score_bound=0.125", "algo.divergence_bound=1e3",
                              "optimizer.rate=0.03"}));
  const double expected = theory::history_dependent_lambda(
      {.gradient_bound = 0.5, .hessian_bound = 0.25, .score_bound = 0.125, .horizon = 200.0, .step_size = 0.03}, 4.0,
      1e3, 8.0, 1.0);
  ASSERT_LT(expected, 1.0) << "not clamped";
  EXPECT_NEAR(session.iterate().diagnostics.batches.at(0).lambda, expected, 1e-14);  // through its logarithm
}

TEST(Registry, GivesTheTheoremOneDecisionWhereParametersAreDrawn) {
  Session session(configured({"algo.name=pb-rpg", "algo.batch=8", "algo.coefficients=theorem-dependent",
                              "algo.gradient_bound=0.5", "algo.hessian_bound=0.25", "algo.score_bound=0.125",
                              "algo.divergence_bound=1e3", "optimizer.rate=0.03"}));
  const double expected = theory::history_dependent_lambda(
      {.gradient_bound = 0.5, .hessian_bound = 0.25, .score_bound = 0.125, .horizon = 1.0, .step_size = 0.03}, 4.0, 1e3,
      8.0, 1.0);
  EXPECT_NEAR(session.iterate().diagnostics.batches.at(0).lambda, expected, 1e-14);
}

TEST(Registry, RefusesRulesThatLackTheirNumbers) {
  expect_throw([] { make_trainer(configured({"algo.coefficients=explicit"})); }, "needs algo.lambda");
  expect_throw([] { make_trainer(configured({"algo.coefficients=theorem-dependent"})); }, "needs algo.gradient_bound");
}

TEST(Registry, RefusesBaselinesThatLeaveNothing) {
  for (const std::string baseline : {"mean", "peters"}) {
    expect_throw(
        [&] {
          make_trainer(configured({"algo.batch=1", "algo.baseline=" + baseline}));
        },
        "algo.baseline = \"" + baseline + "\" needs more than one trajectory per batch");
    EXPECT_NO_THROW(make_trainer(configured({"algo.batch=2", "algo.baseline=" + baseline})));
  }
  for (const std::string baseline : {"none", "leave-one-out", "running-mean", "value", "value-fresh"}) {
    EXPECT_NO_THROW(make_trainer(configured({"algo.batch=1", "algo.baseline=" + baseline})));
  }
}

TEST(Registry, RefusesAReturnForEachParameterWhereASingleOneIsNeeded) {
  const Configuration configuration = configured({"algo.name=gpomdp", "algo.baseline=peters"});
  const EnvironmentDefinition environment = make_environment(configuration);
  const auto linear = make_policy(configuration, environment);
  expect_throw(
      [&] { make_baseline(configuration, environment, *linear, Credit::kOne); },
      "algo.baseline = \"peters\" gives one return per parameter of this policy, but gpomdp needs a single one");
  EXPECT_NE(make_baseline(configuration, environment, *linear, Credit::kReturn), nullptr);
  const auto network = make_policy(configured({"policy.kind=mlp"}), environment);
  EXPECT_NE(make_baseline(configuration, environment, *network, Credit::kOne), nullptr);
}

TEST(Registry, CountsTheMemoryOfBaselines) {
  const auto bytes = [](const std::string& baseline) {
    const Configuration configuration = configured({"policy.evidence=steps", "algo.baseline=" + baseline});
    return make_policy(configuration, make_environment(configuration))->bytes_per_trajectory(200);
  };
  // Peters' credits: one for each of four parameters instead of one.
  EXPECT_EQ(bytes("peters") - bytes("mean"), 200 * 3 * 8);
  // Moments do not grow with the horizon, but the steps of the fresh batch, which a baseline looks at, do: 56 TB.
  const std::vector<std::string> long_steps{"algo.name=gpomdp", "env.horizon=10000000", "algo.batch=100000"};
  EXPECT_NO_THROW(make_trainer(configured(long_steps)));
  std::vector<std::string> with = long_steps;
  with.push_back("algo.baseline=mean");
  expect_throw([&] { make_trainer(configured(with)); }, "GB for stored trajectories");
}

TEST(Registry, RefusesPoliciesThatDoNotFitTheEnvironment) {
  expect_throw([] { make_trainer(configured({"policy.variance=[0.1, 0.2]"})); },
               "policy.variance has 2 numbers; expected 1");
  expect_throw([] { make_trainer(configured({"policy.shift=[1.0]", "policy.scale=[1.0]"})); }, "have 4 numbers");
  expect_throw([] { make_trainer(configured({"policy.shift=[1, 1, 1, 1]"})); }, "policy.shift and policy.scale");
}

TEST(Registry, RefusesHyperpoliciesThatDoNotFit) {
  const auto refuse = [](std::vector<std::string> settings, const std::string& problem) {
    settings.push_back("algo.name=pb-rpg");
    expect_throw([&] { make_trainer(configured(settings)); }, problem);
  };
  refuse({"hyperpolicy.variance=[0.1, 0.2]"}, "hyperpolicy.variance has 2 numbers; expected 1 or 4, one per parameter");
  EXPECT_NO_THROW(make_trainer(configured({"algo.name=pgpe", "hyperpolicy.variance=[0.1, 0.2, 0.3, 0.4]"})));
  for (const std::string evidence : {"moments", "steps"}) {
    refuse({"policy.evidence=" + evidence}, "pb-rpg draws parameters");
  }
  EXPECT_NO_THROW(make_trainer(configured({"algo.name=pb-rpg", "algo.order=1.5", "hyperpolicy.learn_deviation=true"})));
  EXPECT_NO_THROW(make_trainer(configured({"algo.name=pb-rpg", "algo.order=1.5"}))) << "deviations are fixed";
  EXPECT_NO_THROW(make_trainer(configured(
      {"algo.name=pb-rpg", "algo.order=1.5", "algo.divergence=sample", "hyperpolicy.learn_deviation=true"})));
  EXPECT_NO_THROW(make_trainer(configured({"algo.name=rpg", "algo.order=1.5", "hyperpolicy.learn_deviation=true"})))
      << "not read by an algorithm that draws actions";
}

TEST(Registry, ChecksAConfigurationThatCodeHasFilledIn) {
  Configuration configuration;
  configuration.algo.batch = 0;
  expect_throw([&] { train(configuration); }, "algo.batch must be a whole number from 1");
  configuration.algo.batch = 10;
  configuration.policy.variance = {std::nan("")};
  expect_throw([&] { make_trainer(configuration); }, "policy.variance");
}

TEST(Registry, RefusesAWindowThatDoesNotFitIntoMemory) {
  const std::vector<std::string> huge{"algo.window=all", "algo.batch=10000000", "train.iterations=1000000000"};
  expect_throw([&] { make_trainer(configured(huge)); }, "GB for stored trajectories");
  expect_throw(
      [] {
        make_trainer(configured({"algo.window=all", "algo.name=bh-pg", "train.iterations=100000000"}));
      },
      "GB for stored trajectories");
  EXPECT_NO_THROW(make_trainer(configured({"algo.window=10000000", "train.iterations=10"})))
      << "what counts is what can come together, not what is allowed";
  EXPECT_NO_THROW(make_trainer(configured({"algo.window=all", "train.iterations=1000000000", "train.budget=1000"})));
}

}  // namespace
}  // namespace retropg::test
