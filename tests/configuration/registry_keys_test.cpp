#include "retropg/configuration/registry.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "retropg/configuration/train.hpp"
#include "support/run_records.hpp"

namespace retropg::test {
namespace {

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
        "policy.exploration=parameters",
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
        "optimizer.trust=1e-8",
        "train.iterations=3",
        "train.budget=13",
        "train.steps=100",
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
      {bound_optimal, {"algo.constant=5"}},
      {{"algo.coefficients=theorem-independent", "algo.divergence_bound=100"},
       {"algo.confidence=0.9", "algo.divergence_bound=200"}},
      {theorem,
       {"algo.gradient_bound=2e-3", "algo.hessian_bound=2e-3", "algo.score_bound=2e-3", "optimizer.rate=0.02",
        "env.horizon=100", "algo.divergence_bound=2e4"}},
      {{"algo.name=svrpg", "algo.epoch=4"},
       {"algo.snapshot=20", "algo.mini_batch=3", "algo.epoch=2", "algo.weights=trajectory", "algo.two_adam=true"}},
      {{"algo.name=svrpg", "algo.epoch=100", "optimizer.kind=constant", "optimizer.rate=1e-4"}, {"algo.epoch=3"}},
      {{"algo.name=svrpg", "algo.epoch=100", "algo.mini_batch=4", "algo.snapshot=4"}, {"algo.early_stop=true"}},
      {{"algo.name=storm-pg"}, {"algo.forgetting=0.5"}},
      {{"algo.name=page-pg"}, {"algo.refresh=0.9"}},
      {{"algo.name=def-pg", "algo.mini_batch=8"}, {"algo.current_share=0.8", "algo.mixture=random"}},
      {{"algo.name=bpo"}, {"bpo.defensive=0.6", "bpo.reuse=true", "bpo.spread_low=3.0", "bpo.spread_high=0.5"}},
      {{"algo.name=bpo", "policy.kind=mlp-gaussian", "bpo.fit_steps=20"},
       {"bpo.fit_steps=2", "bpo.fit_rate=2e-4", "bpo.fit_decay=0.0", "bpo.fit_divergence=1e-4",
        "bpo.fit_tolerance=1e9"}},
      {plain, {"policy.scaling=pilot", "policy.width=0.5", "policy.learn_deviation=true"}},
      {{"algo.name=pgpe"}, {"policy.width=0.5", "hyperpolicy.variance=0.5", "hyperpolicy.learn_deviation=true"}},
      {{"algo.name=rnpg"}, {"rnpg.damping=0.1", "optimizer.kind=constant"}},
      {{"algo.name=rnpg", "optimizer.kind=constant", "rnpg.projection=50.0"},
       {"rnpg.kl_limit=0.1", "rnpg.projection=0.1", "optimizer.rate=1e-4"}},
      {{"algo.name=nes"},
       {"nes.weights=power-mean", "nes.gain=0.5", "nes.mean_damping=1.0", "nes.deviation_damping=1.0",
        "nes.deviation_limit=1e-3", "nes.leaps_from=1", "nes.recombine_from=1"}},
      {{"algo.name=nes", "env.horizon=12"}, {"train.until_solved=true"}},
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
  for (const char* without :
       {"env.clip", "policy.evidence", "train.threads", "train.lanes", "train.output", "train.broken",
        "train.eval_every", "train.eval_episodes", "train.confirm", "checkpoint.every", "checkpoint.seconds",
        "log.metrics", "log.tensorboard", "log.monitor"}) {
    tried.insert(without);  // these change nothing but the last digits, what is written, or only other environments
  }
  for (const std::string& key : configuration_keys()) EXPECT_TRUE(tried.contains(key)) << key << " is not tried";
}

}  // namespace
}  // namespace retropg::test
