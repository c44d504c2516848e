#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/core/error.hpp"
#include "support/algorithm_runs.hpp"

namespace retropg::test {
namespace {

using Settings = std::vector<std::string>;

/// Values of every key that a run could notice; those that a configuration already has change nothing.
const std::map<std::string, Settings>& other_values() {
  static const std::map<std::string, Settings> values = {
      {"env.horizon", {"11"}},
      {"env.discount", {"0.9"}},
      {"env.clip", {"true"}},
      {"lqr.dynamics", {"[0.9, 0.0, 0.0, 0.9]"}},
      {"lqr.input", {"[0.5, 0.0]"}},
      {"lqr.state_cost", {"[2.0, 0.0, 0.0, 2.0]"}},
      {"lqr.action_cost", {"[0.5]"}},
      {"lqr.process_noise", {"0.2"}},
      {"lqr.start_range", {"0.5"}},
      {"bandit.target", {"-1.0"}},
      {"bandit.width", {"2.0"}},
      {"policy.variance", {"0.5"}},
      {"policy.learn_deviation", {"true", "false"}},
      {"policy.exploration", {"parameters", "actions"}},
      {"policy.bias", {"true"}},
      {"policy.shift", {"[0.2, 0, 0, 0]", "[0.2, 0]", "[0.2]"}},
      {"policy.scale", {"[2, 1, 1, 1]", "[2, 1]", "[2]"}},
      {"policy.scaling", {"pilot"}},
      {"policy.width", {"0.7"}},
      {"policy.hidden", {"[3]"}},
      {"policy.activation", {"relu"}},
      {"policy.action_shift", {"[0.2]"}},
      {"policy.action_scale", {"[2.0]"}},
      {"policy.evidence", {}},  // the last digits only
      {"algo.name", {"gpomdp", "reinforce", "pgpe", "pois"}},
      {"algo.batch", {"5"}},
      {"algo.window", {"2", "all"}},
      {"algo.coefficients", {"fixed", "adaptive"}},
      {"algo.constant", {"0.1"}},
      {"algo.divergence", {"sample", "product"}},
      {"algo.order", {"1.5"}},
      {"algo.divergence_bound", {"7.0"}},
      {"algo.confidence", {"0.9"}},
      {"algo.gradient_bound", {"2e-3"}},
      {"algo.hessian_bound", {"2e-3"}},
      {"algo.score_bound", {"2e-3"}},
      {"algo.lambda", {"[0.4, 0.3]"}},
      {"algo.alpha", {"[1, 3]"}},
      {"algo.baseline", {"leave-one-out", "mean"}},
      {"algo.snapshot", {"7"}},
      {"algo.mini_batch", {"5", "2"}},
      {"algo.epoch", {"2"}},
      {"algo.refresh", {"0.9"}},
      {"algo.forgetting", {"0.5"}},
      {"algo.weights", {"trajectory"}},
      {"algo.two_adam", {"true"}},
      {"algo.early_stop", {"true"}},
      {"algo.current_share", {"0.8"}},
      {"algo.mixture", {"random"}},
      {"optimizer.kind", {"constant", "adam"}},
      {"optimizer.rate", {"0.02"}},
      {"optimizer.beta1", {"0.5"}},
      {"optimizer.beta2", {"0.9"}},
      {"optimizer.epsilon", {"0.1"}},
      {"optimizer.trust", {"1e-8"}},
      {"train.iterations", {"5"}},
      {"train.budget", {"13"}},
      {"train.steps", {"1"}},
      {"train.seed", {"2"}},
      {"train.threads", {"2"}},
      {"train.lanes", {"4"}},
      {"train.output", {"last"}},
      {"train.broken", {"drop"}},
      {"train.eval_every", {"2"}},
      {"train.eval_episodes", {"3"}},
      {"train.confirm", {"5"}},
      {"train.until_solved", {"true"}},
      {"baseline.rate", {"0.5"}},
      {"baseline.ridge", {"0.01"}},
      {"rnpg.damping", {"0.1"}},
      {"rnpg.kl_limit", {"1e-6"}},
      {"rnpg.projection", {"1e-3"}},
      {"bpo.defensive", {"0.7"}},
      {"bpo.reuse", {"true", "false"}},
      {"bpo.spread_low", {"3.0"}},
      {"bpo.spread_high", {"0.5"}},
      {"bpo.fit_steps", {"2"}},
      {"bpo.fit_rate", {"2e-3"}},
      {"bpo.fit_decay", {"0.0"}},
      {"bpo.fit_divergence", {"1e-5"}},
      {"bpo.fit_tolerance", {"1e9"}},
      {"pois.delta", {"0.2"}},
      {"pois.bound", {"std-d2", "max-ess"}},
      {"pois.offline", {"1"}},
      {"pois.centered", {"false", "true"}},
      {"pois.self_normalized", {"true", "false"}},
      {"pois.natural", {"true", "false"}},
      {"nes.weights", {"power-mean", "balance"}},
      {"nes.gain", {"0.5"}},
      {"nes.mean_damping", {"1.0"}},
      {"nes.deviation_damping", {"1.0"}},
      {"nes.deviation_limit", {"1e-3"}},
      {"nes.leaps_from", {"1"}},
      {"nes.recombine_from", {"1"}},
      {"hyperpolicy.variance", {"0.5"}},
      {"hyperpolicy.learn_deviation", {"true"}},
      {"checkpoint.every", {"3"}},
      {"checkpoint.seconds", {"1"}},
      {"log.metrics", {"0"}},
      {"log.tensorboard", {"false"}},
      {"log.monitor", {"false"}},
  };
  return values;
}

/// What a run learns: returns, sizes, and the parameters it ends with.
std::vector<std::uint64_t> learned(const Configuration& configuration) {
  std::vector<double> numbers;
  const RunResult result = train(configuration, [&](const IterationRecord& record) {
    numbers.insert(numbers.end(), {record.return_mean, static_cast<double>(record.trajectories)});
    return true;
  });
  numbers.insert(numbers.end(), result.last.begin(), result.last.end());
  return bits(numbers);
}

/// Whether one of the values changes what is learned, or makes a run impossible.
bool changes(const Configuration& base, const std::string& key) {
  const std::vector<std::uint64_t> expected = learned(base);
  for (const std::string& value : other_values().at(key)) {
    Configuration changed = base;
    apply_setting(changed, key + "=" + value);
    try {
      if (learned(changed) != expected) return true;
    } catch (const Error&) {  // does not suit the algorithm or the policy
    }
  }
  return false;
}

Configuration base(const Settings& settings) {
  Configuration configuration =
      configured({"env.horizon=40", "algo.batch=6", "algo.window=3", "algo.mini_batch=3", "train.iterations=12",
                  "train.threads=1", "optimizer.rate=0.05", "algo.epoch=4", "algo.refresh=0.4"});
  const bool bandit = std::ranges::find(settings, "env.id=Bandit") != settings.end();
  const bool spring = std::ranges::find(settings, "env.id=LQR") != settings.end();
  apply_setting(configuration, bandit   ? "policy.shift=[0.1]"
                               : spring ? "policy.shift=[0.1, 0]"
                                        : "policy.shift=[0.1, 0, 0, 0]");
  apply_setting(configuration, bandit   ? "policy.scale=[1]"
                               : spring ? "policy.scale=[1, 1]"
                                        : "policy.scale=[1, 1, 1, 1]");
  for (const std::string& setting : settings) apply_setting(configuration, setting);
  if (configuration.algo.name == "svrpg") {  // so that epochs stop early
    for (const char* setting : {"algo.epoch=100", "algo.snapshot=4", "algo.mini_batch=4"}) {
      apply_setting(configuration, setting);
    }
  }
  return canonical(configuration);
}

void expect_declared(const Settings& settings) {
  const Configuration configuration = base(settings);
  std::string name;
  for (const std::string& setting : settings) name += setting + " ";
  for (const std::string& key : configuration_keys()) {
    if (key == "env.id" || key == "policy.kind") continue;                              // others need other settings
    if (key == "policy.exploration" && configuration.policy.learn_deviation) continue;  // only actions go with that
    ASSERT_TRUE(other_values().contains(key)) << key << " is not tried";
    EXPECT_EQ(reads(configuration, key), changes(configuration, key)) << name << "and " << key;
  }
}

class KeysRead : public EveryAlgorithm {};

TEST_P(KeysRead, AreThoseThatChangeWhatIsLearned) {
  expect_declared({"algo.name=" + GetParam()});
}

TEST_P(KeysRead, OfAConstantStepAreFewer) {
  expect_declared({"algo.name=" + GetParam(), "optimizer.kind=constant", "optimizer.rate=0.001"});
}

INSTANTIATE_TEST_SUITE_P(Registry, KeysRead, testing::ValuesIn(algorithm_names()), test_name);

TEST(KeysRead, FollowTheRuleOfTheCoefficients) {
  for (const Settings& rule :
       std::vector<Settings>{{"algo.coefficients=fixed"},
                             {"algo.coefficients=bound-optimal", "algo.batch=40"},
                             {"algo.coefficients=theorem-independent", "algo.divergence_bound=100"},
                             {"algo.coefficients=theorem-dependent", "algo.gradient_bound=1e-3",
                              "algo.hessian_bound=1e-3", "algo.score_bound=1e-3", "algo.divergence_bound=1e4"},
                             {"algo.coefficients=explicit", "algo.lambda=[0.5, 0.25]", "algo.alpha=[1, 1]"},
                             {"algo.divergence=sample"}}) {
    expect_declared(rule);
  }
}

TEST(KeysRead, FollowBaselineEnvironmentAndPolicy) {
  for (const Settings& settings : std::vector<Settings>{
           {"algo.name=gpomdp", "algo.baseline=running-mean"},
           {"algo.name=gpomdp", "algo.baseline=value"},
           {"algo.name=gpomdp", "algo.baseline=value-fresh"},
           {"algo.name=gpomdp", "env.id=LQR"},
           {"algo.name=gpomdp", "env.id=Bandit"},
           {"policy.kind=mlp-gaussian", "policy.hidden=[4]", "policy.action_shift=[0]", "policy.action_scale=[1]"},
           {"policy.kind=mlp-gaussian", "policy.hidden=[]", "policy.action_shift=[0]", "policy.action_scale=[1]"},
           {"policy.learn_deviation=true"},
           {"policy.exploration=parameters"},
           {"env.id=CartPole-v1"},
           {"env.id=CartPole-v1", "policy.kind=softmax-mlp", "policy.hidden=[4]"},
           {"env.id=CartPole-v1", "policy.exploration=parameters"},
           {"algo.name=bpo", "bpo.reuse=true"},
           {"algo.name=bpo", "policy.kind=mlp-gaussian", "policy.hidden=[4]", "policy.action_shift=[0]",
            "policy.action_scale=[1]", "bpo.fit_steps=20", "train.iterations=6"}}) {
    expect_declared(settings);
  }
}

TEST(KeysRead, OfAnAlgorithmThatDeclaresNoneMayBeAny) {
  static const bool registered = [] {
    AlgorithmEntry entry = algorithm_of(configured({"algo.name=gpomdp"}));
    entry.name = "test-undeclared";
    entry.keys = {};
    register_algorithm(entry);
    return true;
  }();
  ASSERT_TRUE(registered);
  const Configuration configuration = configured({"algo.name=test-undeclared"});
  EXPECT_TRUE(reads(configuration, "pois.delta"));
  EXPECT_TRUE(reads(configuration, "algo.window"));
  EXPECT_FALSE(reads(configuration, "log.metrics"));
  EXPECT_FALSE(reads(configuration, "policy.hidden"));
}

}  // namespace
}  // namespace retropg::test
