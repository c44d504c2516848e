#include "retropg/configuration/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/theory/lambda.hpp"
#include "retropg/configuration/train.hpp"
#include "support/expect_throw.hpp"
#include "support/point_mass.hpp"
#include "support/session.hpp"

namespace retropg {
namespace {

/// The records of a short run, for comparing configurations.
std::vector<std::vector<std::uint64_t>> records(const std::vector<std::string>& settings) {
  Configuration configuration = configured({"algo.batch=8", "algo.window=3", "train.iterations=4"});
  for (const std::string& setting : settings) apply_setting(configuration, setting);
  std::vector<std::vector<std::uint64_t>> result;
  const RunResult run =
      train(configuration, [&](const IterationRecord& record) { return result.push_back(bits(record)), true; });
  result.push_back(bits(run.last));
  return result;
}

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

TEST(Registry, ReplacesAliasesByNames) {
  const std::vector<std::vector<std::string>> cases{{"env.id", "CartPole", "CartPoleContinuous-v0"},
                                                    {"env.id", "LQR", "LinearQuadratic-v0"},
                                                    {"env.id", "Bandit", "GaussianBandit-v0"},
                                                    {"env.id", "HalfCheetah", "HalfCheetah-v4"},
                                                    {"env.id", "Swimmer", "Swimmer-v4"},
                                                    {"algo.name", "rt-pg", "rpg"},
                                                    {"algo.name", "rpg", "rpg"},
                                                    {"algo.name", "th-rpg", "rpg-theory"},
                                                    {"policy.kind", "linear", "linear-gaussian"}};
  for (const auto& names : cases) {
    EXPECT_EQ(canonical(configured({names[0] + "=" + names[1]})), configured({names[0] + "=" + names[2]})) << names[1];
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
  const EstimatorEntry algorithm = algorithms().front();
  expect_throw([&] { register_algorithm(algorithm); }, "algorithm 'rpg' is already registered");
  EstimatorEntry under_alias = algorithm;
  under_alias.name = "rt-pg";
  under_alias.aliases.clear();
  expect_throw([&] { register_algorithm(under_alias); }, "algorithm 'rt-pg' is already registered");
  EstimatorEntry with_alias = algorithm;
  with_alias.name = "test-unused";
  with_alias.aliases = {"gpomdp"};
  expect_throw([&] { register_algorithm(with_alias); }, "'gpomdp' is already registered");

  EnvironmentEntry environment = environments().front();
  expect_throw([&] { register_environment(environment); }, "environment 'CartPoleContinuous-v0' is already registered");
  environment.name = "CartPole";
  expect_throw([&] { register_environment(environment); }, "environment 'CartPole' is already registered");
  expect_throw([] { register_policy(policies().front()); }, "policy 'linear-gaussian' is already registered");
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
    const EnvironmentDefinition environment = make_environment(settings);
    const auto policy = make_policy(settings, environment);
    const auto estimator = make_estimator(settings, environment, *policy);
    const std::vector<double> theta(4, 0.0);
    const Index first = estimator->plan(1, theta, 1000)[0].count;
    Index second = 0;
    for (const Draw& draw : estimator->plan(2, theta, 1000)) second += draw.count;
    return std::pair(first, second);
  };
  for (const std::string name : {"svrpg", "srvrpg", "page-pg", "def-pg"}) {
    EXPECT_EQ(counts(name, 10), (std::pair<Index, Index>(55, 5))) << name;
    EXPECT_EQ(counts(name, 1), (std::pair<Index, Index>(6, 1))) << name;
  }
  EXPECT_EQ(counts("storm-pg", 10), (std::pair<Index, Index>(10, 10)));
}

TEST(Registry, LetsEveryKeyReachWhatItConfigures) {
  // Each setting, on top of its base, must change the run: a key that is read and forgotten would not.
  const std::vector<std::string> spring{"env.id=LQR"}, bandit{"env.id=Bandit"}, plain{};
  const std::vector<std::string> theorem{"algo.coefficients=theorem-dependent", "algo.gradient_bound=1e-3",
                                         "algo.hessian_bound=1e-3", "algo.score_bound=1e-3",
                                         "algo.divergence_bound=1e4"};
  const std::vector<std::string> by_age{"algo.coefficients=explicit", "algo.lambda=[0.5, 0.25]",
                                        "algo.alpha=[1, 1, 2]"};
  const std::vector<std::string> bound_optimal{"algo.coefficients=bound-optimal", "algo.batch=64"};
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> cases{
      {plain,
       {"env.horizon=20",
        "env.discount=0.9",
        "env.id=LQR",
        "policy.variance=0.5",
        "policy.bias=true",
        "policy.kind=mlp-gaussian",
        "algo.name=bh-pg",
        "algo.batch=5",
        "algo.window=2",
        "algo.window=all",
        "algo.coefficients=fixed",
        "algo.coefficients=bound-optimal",
        "algo.constant=magicrl",
        "algo.divergence=sample",
        "algo.order=1.5",
        "optimizer.kind=constant",
        "optimizer.rate=0.02",
        "optimizer.beta1=0.5",
        "optimizer.beta2=0.9",
        "optimizer.epsilon=0.1",
        "train.iterations=3",
        "train.budget=13",
        "train.seed=2"}},
      {spring,
       {"lqr.dynamics=[0.9, 0.0, 0.0, 0.9]", "lqr.input=[0.5, 0.0]", "lqr.state_cost=[2.0, 0.0, 0.0, 2.0]",
        "lqr.action_cost=[0.5]", "lqr.process_noise=0.2", "lqr.start_range=0.5"}},
      {bandit, {"bandit.target=-1.0", "bandit.width=2.0"}},
      {{"policy.shift=[0.1, 0, 0, 0]", "policy.scale=[1, 1, 1, 1]"},
       {"policy.shift=[0.2, 0, 0, 0]", "policy.scale=[2, 1, 1, 1]"}},
      {{"policy.kind=mlp-gaussian", "policy.action_shift=[0.1]", "policy.action_scale=[1.0]"},
       {"policy.hidden=[8]", "policy.activation=relu", "policy.action_shift=[0.2]", "policy.action_scale=[2.0]"}},
      {{"algo.coefficients=fixed"}, {"algo.divergence_bound=2.0"}},
      {{"algo.name=rpg-theory"}, {"algo.divergence_bound=2.0"}},
      {bound_optimal, {"algo.confidence=0.9"}},
      {{"algo.coefficients=theorem-independent", "algo.divergence_bound=100"},
       {"algo.confidence=0.9", "algo.divergence_bound=200"}},
      {theorem,
       {"algo.gradient_bound=2e-3", "algo.hessian_bound=2e-3", "algo.score_bound=2e-3", "optimizer.rate=0.02",
        "env.horizon=100", "algo.divergence_bound=2e4"}},
      {{"algo.name=svrpg", "algo.epoch=4"},
       {"algo.snapshot=20", "algo.mini_batch=3", "algo.epoch=2", "algo.weights=trajectory", "algo.two_adam=true"}},
      {{"algo.name=svrpg", "algo.epoch=100", "optimizer.kind=constant", "optimizer.rate=1e-4"}, {"algo.epoch=3"}},
      {{"algo.name=svrpg", "algo.epoch=100", "algo.mini_batch=4", "algo.snapshot=4"}, {"algo.early_stop=true"}},
      {{"algo.name=storm-pg"}, {"algo.momentum=0.5"}},
      {{"algo.name=page-pg"}, {"algo.refresh=0.9"}},
      {{"algo.name=def-pg", "algo.mini_batch=8"}, {"algo.current_share=0.8", "algo.mixture=random"}},
      {{"algo.name=bpo"}, {"bpo.defensive=0.6", "bpo.reuse=true", "bpo.spread_low=3.0", "bpo.spread_high=0.5"}},
      {{"algo.name=bpo", "policy.kind=mlp-gaussian", "bpo.fit_steps=20"},
       {"bpo.fit_steps=2", "bpo.fit_rate=2e-4", "bpo.fit_decay=0.0", "bpo.fit_divergence=1e-4",
        "bpo.fit_tolerance=1e9"}},
      {{"algo.name=pgpe"}, {"hyperpolicy.variance=0.5", "hyperpolicy.learn_deviation=true"}},
      {{"algo.name=rnpg"}, {"rnpg.damping=0.1", "optimizer.kind=constant"}},
      {{"algo.name=rnpg", "optimizer.kind=constant", "rnpg.projection=50.0"},
       {"rnpg.kl_limit=0.1", "rnpg.projection=0.1", "optimizer.rate=1e-4"}},
      {{"algo.name=pois"},
       {"pois.delta=0.5", "pois.bound=std-d2", "pois.bound=max-ess", "pois.offline=1", "pois.centered=false",
        "pois.self_normalized=true", "pois.natural=true"}},
      {{"algo.name=p-pois"},
       {"pois.delta=0.5", "pois.bound=std-ess", "pois.offline=1", "pois.centered=true", "pois.self_normalized=false",
        "pois.natural=false"}},
      {plain,
       {"algo.baseline=mean", "algo.baseline=leave-one-out", "algo.baseline=peters", "algo.baseline=running-mean",
        "algo.baseline=value", "algo.baseline=value-fresh"}},
      {{"algo.baseline=running-mean"}, {"baseline.rate=0.5"}},
      {{"algo.baseline=value"}, {"baseline.ridge=0.001", "algo.baseline=value-fresh"}},
      {{"algo.name=gpomdp", "algo.baseline=value"}, {"algo.window=1", "baseline.ridge=0.001"}},
      {{"algo.baseline=value-fresh"}, {"baseline.ridge=0.001"}},
      {by_age, {"algo.lambda=[0.4, 0.25]", "algo.lambda=[0.5, 0.2]", "algo.alpha=[1, 1, 3]", "algo.alpha=[1, 2, 2]"}},
  };
  std::set<std::string> tried;
  for (const auto& [base, settings] : cases) {
    const auto expected = records(base);
    EXPECT_EQ(records(base), expected) << "the comparison means something";
    for (const std::string& setting : settings) {
      std::vector<std::string> changed = base;
      changed.push_back(setting);
      EXPECT_NE(records(changed), expected) << setting;
      tried.insert(setting.substr(0, setting.find('=')));
    }
  }
  for (const char* without : {"policy.evidence", "train.threads", "train.lanes", "train.output"}) {
    tried.insert(without);  // these change nothing but the last digits
  }
  for (const std::string& key : configuration_keys()) EXPECT_TRUE(tried.contains(key)) << key << " is not tried";
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
        "algo.baseline = \"" + baseline + "\" takes everything off a batch of one trajectory");
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
      "algo.baseline = \"peters\" has a return for each parameter of this policy, and gpomdp needs a single one");
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
  refuse({"hyperpolicy.variance=[0.1, 0.2]"}, "hyperpolicy.variance has 2 numbers; expected 1 or 4, one a parameter");
  EXPECT_NO_THROW(make_trainer(configured({"algo.name=pgpe", "hyperpolicy.variance=[0.1, 0.2, 0.3, 0.4]"})));
  for (const std::string evidence : {"moments", "steps"}) {
    refuse({"policy.evidence=" + evidence}, "pb-rpg draws parameters");
  }
  refuse({"hyperpolicy.learn_deviation=true", "algo.order=1.5"},
         "algo.order must be 2 with hyperpolicy.learn_deviation");
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

// -------------------------------------------------------------------------------------------------------- your own

/// GPOMDP that follows the signs of the gradient only.
class SignGradient final : public Estimator {
 public:
  explicit SignGradient(std::unique_ptr<Estimator> inner) : inner_(std::move(inner)) {}

  std::vector<Draw> plan(Index k, Parameters theta, Index limit) override { return inner_->plan(k, theta, limit); }
  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override {
    Estimate estimate = inner_->estimate(theta, std::move(fresh), sum);
    for (double& g : estimate.gradient) g = g > 0.0 ? 1.0 : -1.0;
    return estimate;
  }
  double bytes_needed(double bytes, double iterations) const override {
    return inner_->bytes_needed(bytes, iterations);
  }
  void state(Archive& archive) override { inner_->state(archive); }

 private:
  std::unique_ptr<Estimator> inner_;
};

/// Two draws of the current policy an iteration; follows nothing.
class TwoDraws final : public Estimator {
 public:
  explicit TwoDraws(std::vector<std::vector<double>>& returns) : returns_(returns) {}
  std::vector<Draw> plan(Index, Parameters theta, Index) override {
    const std::vector<double> behavior(theta.begin(), theta.end());
    return {{.behavior = behavior, .count = 3}, {.behavior = behavior, .count = 5}};
  }
  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum&) override {
    for (const Batch& batch : fresh) returns_.push_back(batch.returns);
    return {.gradient = std::vector<double>(theta.size(), 0.0), .diagnostics = {}};
  }
  double bytes_needed(double, double) const override { return 0.0; }
  void state(Archive&) override {}

 private:
  std::vector<std::vector<double>>& returns_;
};

void register_ours() {
  static const bool once = [] {
    register_environment(
        {{"TestPointMass-v0", {"TestPoint"}, "a point on a line"}, [](const Configuration&) { return point_mass(); }});
    register_algorithm({{"test-sign", {}, "signs of the gradient"},
                        [](const Configuration& configuration, const EnvironmentDefinition&, const Policy&) {
                          return std::make_unique<SignGradient>(
                              on_policy(configuration.algo.batch, Credit::kRewardToGo));
                        }});
    return true;
  }();
  EXPECT_TRUE(once);
}

double gain(const std::vector<std::string>& settings) {
  Configuration configuration = configured(settings);
  double first = 0.0, last = 0.0;
  train(configuration, [&](const IterationRecord& record) {
    if (record.iteration <= 5) first += record.return_mean / 5.0;
    if (record.iteration > 55) last += record.return_mean / 5.0;
    return record.iteration < 60;
  });
  return last - first;
}

TEST(Registry, TrainsAnEnvironmentAndAnEstimatorOfYourOwn) {
  register_ours();
  // Untrained, the point costs about 15 a trajectory, trained 2 to 3: the gain is about 12, and its standard error over
  // 5 x 40 trajectories on either side below 1.
  const std::vector<std::string> base{"env.id=TestPoint", "algo.batch=40", "optimizer.rate=0.1"};
  for (const char* algorithm : {"rpg", "test-sign"}) {
    std::vector<std::string> settings = base;
    settings.push_back(std::string("algo.name=") + algorithm);
    EXPECT_GT(gain(settings), 6.0) << algorithm;
  }
  EXPECT_EQ(canonical(configured({"env.id=TestPoint"})).env.id, "TestPointMass-v0");
  expect_throw([] { canonical(configured({"algo.name=test-sgn"})); }, "did you mean 'test-sign'?");
  expect_throw(
      [] {
        register_environment({{"TestPointMass-v0", {}, "again"}, [](const Configuration&) { return point_mass(); }});
      },
      "environment 'TestPointMass-v0' is already registered");
}

TEST(Registry, TrainsWithSeveralDrawsAnIteration) {
  static std::vector<std::vector<double>> returns;
  static const bool once = [] {
    register_algorithm({{"test-two-draws", {}, "two draws an iteration"},
                        [](const Configuration&, const EnvironmentDefinition&, const Policy&) {
                          return std::make_unique<TwoDraws>(returns);
                        }});
    return true;
  }();
  EXPECT_TRUE(once);
  returns.clear();
  const RunResult result = train(configured({"env.id=LQR", "algo.name=test-two-draws", "train.iterations=1"}));
  EXPECT_EQ(result.trajectories, 8);
  ASSERT_EQ(returns.size(), 2u);
  ASSERT_EQ(returns[0].size(), 3u);
  ASSERT_EQ(returns[1].size(), 5u);
  std::set<double> different(returns[0].begin(), returns[0].end());
  different.insert(returns[1].begin(), returns[1].end());
  EXPECT_EQ(different.size(), 8u) << "trajectories are numbered through all draws: none is simulated twice";
}

TEST(RegistryThreads, LanesDoNotChangeABitOfAnEnvironmentOfYourOwn) {
  register_ours();
  const auto run = [](const char* threads, const char* lanes) {
    return records({"env.id=TestPoint", "algo.name=rpg", "algo.batch=21", std::string("train.threads=") + threads,
                    std::string("train.lanes=") + lanes});
  };
  const auto expected = run("1", "32");
  EXPECT_EQ(run("2", "4"), expected);
  EXPECT_EQ(run("3", "12"), expected);
}

}  // namespace
}  // namespace retropg
