#include "retropg/experiment/sweep.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

using Texts = std::vector<std::string>;

std::vector<std::string> labels(const std::string& arm, const Texts& sweeps, const Configuration& base = {}) {
  std::vector<std::string> result;
  for (const ArmPlan& plan : sweep_settings(base, parse_arm_list(arm)[0], parse_sweeps(sweeps))) {
    result.push_back(plan.label);
  }
  return result;
}

ComparisonPlan spring(const std::string& algos) {
  ComparisonPlan plan{.title = "small", .base = {}, .arms = parse_arm_list(algos), .seeds = 3, .budget = 60};
  plan.base.env.id = "LinearQuadratic-v0";
  return plan;
}

ReadySweep ready(const std::string& algos, const Texts& sweeps, Index pick_seeds = 2) {
  return prepare_sweep(spring(algos), parse_sweeps(sweeps), pick_seeds);
}

ArmResult result_with(const std::vector<double>& areas) {
  ArmResult result;
  for (const double area : areas) result.curves.push_back({.x = {30.0, 60.0}, .y = {area - 1.0, area + 1.0}});
  return result;
}

TEST(Sweep, IsAKeyWithValues) {
  const std::vector<Sweep> sweeps = parse_sweeps(Texts{"optimizer.rate = 0.01, 0.03", "policy.hidden=[4, 4],[8]"});
  ASSERT_EQ(sweeps.size(), 2U);
  EXPECT_EQ(sweeps[0].key, "optimizer.rate");
  EXPECT_EQ(sweeps[0].values, (Texts{"0.01", "0.03"}));
  EXPECT_EQ(sweeps[1].values, (Texts{"[4, 4]", "[8]"}));
}

TEST(Sweep, RefusesWhatCannotBeTried) {
  const auto refused = [](const Texts& texts, const std::string& hint) {
    expect_throw([&] { parse_sweeps(texts); }, hint);
  };
  refused({"optimizer.rat=0.1,0.2"}, "sweep optimizer.rat=0.1,0.2: unknown key 'optimizer.rat'; did you mean");
  refused({"optimizer.rate"}, "sweep optimizer.rate: write it as key=value,value");
  refused({"=1,2"}, "write it as key=value,value");
  refused({"optimizer.rate=0.1,"}, "a value is empty");
  refused({"optimizer.rate=0.1"}, "needs at least two values");
  refused({"optimizer.rate=0.1,fast"}, "optimizer.rate must be a number");
  refused({"optimizer.rate=0.1,1e-1"}, "the value 0.1 is given twice");
  refused({"algo.window=all,2,\"all\""}, "the value \"all\" is given twice");
  refused({"optimizer.rate=1,2", "algo.batch=1,2", "optimizer.rate=3,4"}, "sweep optimizer.rate: is given twice");
  refused({"algo.name=rpg,gpomdp"}, "name them in --algos");
  refused({"train.seed=1,2"}, "seeds are not swept");
  refused({"train.budget=10,20"}, "use --budget");
  refused({"train.iterations=10,20"}, "use --budget");
  refused({"train.steps=10,20"}, "use --budget");
  refused({"env.horizon=10,20"}, "may not change the environment");
  refused({"lqr.start_range=1,2"}, "may not change the environment");
}

TEST(Sweep, TriesEveryCombinationOfWhatTheArmReads) {
  const Texts two = {"algo.window=2,4", "optimizer.rate=0.1,0.2"};
  EXPECT_EQ(labels("rpg", two),
            (Texts{"rpg:algo.window=2:optimizer.rate=0.1", "rpg:algo.window=2:optimizer.rate=0.2",
                   "rpg:algo.window=4:optimizer.rate=0.1", "rpg:algo.window=4:optimizer.rate=0.2"}));
  EXPECT_EQ(labels("gpomdp", two), (Texts{"gpomdp:optimizer.rate=0.1", "gpomdp:optimizer.rate=0.2"}));
  EXPECT_EQ(labels("pois", two), (Texts{"pois"})) << "reads neither";
  EXPECT_EQ(labels("rpg:algo.window=8", two),
            (Texts{"rpg:algo.window=8:optimizer.rate=0.1", "rpg:algo.window=8:optimizer.rate=0.2"}))
      << "what an arm sets itself stays";
}

TEST(Sweep, CountsSettingsThatAreTheSameOnce) {
  // beta1 is read by Adam only, and the bound only by the fixed rule.
  EXPECT_EQ(labels("gpomdp", {"optimizer.kind=adam,constant", "optimizer.beta1=0.5,0.9"}),
            (Texts{"gpomdp:optimizer.kind=adam:optimizer.beta1=0.5", "gpomdp:optimizer.kind=adam:optimizer.beta1=0.9",
                   "gpomdp:optimizer.kind=constant"}));
  EXPECT_EQ(labels("rpg", {"algo.divergence_bound=2,3,4", "algo.coefficients=adaptive,fixed"}),
            (Texts{"rpg:algo.coefficients=adaptive", "rpg:algo.divergence_bound=2:algo.coefficients=fixed",
                   "rpg:algo.divergence_bound=3:algo.coefficients=fixed",
                   "rpg:algo.divergence_bound=4:algo.coefficients=fixed"}));
}

TEST(Sweep, LeavesAlgorithmsTheExplorationTheyRequire) {
  const Texts both = {"policy.exploration=actions,parameters", "optimizer.rate=0.1,0.2"};
  EXPECT_EQ(labels("pgpe", both), (Texts{"pgpe:optimizer.rate=0.1", "pgpe:optimizer.rate=0.2"}));
  EXPECT_EQ(labels("rpg", both).size(), 4U);
}

TEST(Sweep, HasALimit) {
  Texts sweeps;
  for (const char* key : {"optimizer.rate", "optimizer.beta1", "optimizer.beta2", "optimizer.epsilon"}) {
    sweeps.push_back(std::string(key) + "=0.1,0.2,0.3,0.4,0.5,0.6");
  }
  expect_throw([&] { labels("rpg", sweeps); }, "the sweeps make 1296 settings of arm 'rpg', more than 1000");
}

TEST(Sweep, KeepsSeedsForPickingAndReportingApart) {
  ComparisonPlan plan = spring("rpg,gpomdp,pois");
  plan.first_seed = 7;
  const ReadySweep sweep = prepare_sweep(plan, parse_sweeps(Texts{"optimizer.rate=0.1,0.2"}), 4);
  EXPECT_EQ(sweep.first_seed, 7U);
  EXPECT_EQ(sweep.report.plan.first_seed, 11U);
  EXPECT_EQ(sweep.report.plan.seeds, 3);
  ASSERT_EQ(sweep.settings.size(), 3U);
  EXPECT_EQ(sweep.settings[0].size(), 2U);
  EXPECT_EQ(sweep.settings[2].size(), 1U) << "pois has its own step";
  EXPECT_EQ(sweep.settings[1][1].configuration.optimizer.rate, 0.2);
  EXPECT_EQ(sweep.report.references, (std::vector<std::size_t>{1, 1, 1})) << "gpomdp, as an arm";
  expect_throw(
      [&] {
        plan.first_seed = (std::uint64_t{1} << 63) - 6;
        prepare_sweep(plan, parse_sweeps(Texts{"optimizer.rate=0.1,0.2"}), 4);
      },
      "2^63");
}

TEST(Sweep, RefusesAKeyThatNoArmReads) {
  expect_throw([] { ready("rpg,gpomdp", {"pois.delta=0.1,0.2"}); },
               "sweep pois.delta: no algorithm of this comparison reads pois.delta");
  expect_throw([] { ready("pois", {"optimizer.rate=0.1,0.2"}); },
               "reads optimizer.rate, or those that do set it themselves (read: algo.batch, algo.baseline, pois.delta");
  expect_throw([] { ready("gpomdp,pois", {"algo.window=2,3"}); }, "no algorithm of this comparison reads algo.window");
  expect_throw([] { ready("rpg,gpomdp", {"log.metrics=0,1"}); }, "reads log.metrics");
  expect_throw([] { ready("rpg:algo.window=2,gpomdp", {"algo.window=2,3"}); }, "set it themselves");
  EXPECT_NO_THROW(ready("gpomdp:algo.baseline=value", {"algo.window=2,3"}));
}

TEST(Sweep, ValidatesEverySettingBeforeAnythingRuns) {
  expect_throw([] { ready("gpomdp:algo.baseline=mean", {"algo.batch=4,1"}); },
               "arm 'gpomdp:algo.baseline=mean:algo.batch=1': algo.baseline = \"mean\" needs more than one");
  expect_throw([] { ready("rpg:algo.windw=3", {"optimizer.rate=0.1,0.2"}); }, "arm 'rpg:algo.windw=3': unknown key");
  expect_throw([] { ready("rpg,rpg:optimizer.rate=0.2", {"optimizer.rate=0.1,0.2"}); }, "named twice");
  ComparisonPlan plan = spring("rpg");
  plan.reference = "rpg:optimizer.rate=0.1";
  expect_throw([&] { prepare_sweep(plan, parse_sweeps(Texts{"optimizer.rate=0.1,0.2"}), 2); }, "unknown reference");
}

TEST(Sweep, LeavesOutSettingsOfOptionalArms) {
  ComparisonPlan plan = spring("all");
  plan.base.algo.baseline = "mean";
  const ReadySweep sweep = prepare_sweep(plan, parse_sweeps(Texts{"algo.batch=1,4"}), 2);
  ASSERT_FALSE(sweep.report.refusals.empty());
  for (std::size_t i = 0; i < sweep.settings.size(); ++i) {
    for (const Arm& setting : sweep.settings[i]) {
      EXPECT_EQ(setting.configuration.algo.batch, 4) << setting.label;
      EXPECT_TRUE(setting.label.starts_with(sweep.report.arms[i].label)) << setting.label;
    }
  }
}

TEST(Sweep, PicksTheHighestMeanAreaAndTheFirstOfEqualOnes) {
  ReadySweep sweep = ready("rpg,pois", {"optimizer.rate=0.1,0.2,0.3"});
  const std::vector<ArmResult> results = {result_with({1.0, 3.0}), result_with({5.0, 9.0}), result_with({6.0, 8.0})};
  const PickedSetting picked = pick_setting(sweep, 0, results);
  EXPECT_EQ(picked.picked, 1U);
  ASSERT_EQ(picked.tried.size(), 3U);
  EXPECT_EQ(picked.tried[1].label, "rpg:optimizer.rate=0.2");
  EXPECT_EQ(picked.tried[1].areas, (std::vector<double>{5.0, 9.0}));
  EXPECT_DOUBLE_EQ(picked.tried[1].area.mean, 7.0);
  EXPECT_DOUBLE_EQ(picked.tried[1].area.standard_error, 2.0);
  const PickedSetting alone = pick_setting(sweep, 1, {});
  EXPECT_EQ(alone.tried.size(), 1U);
  EXPECT_TRUE(alone.tried[0].areas.empty());

  set_picks(sweep, std::vector<std::size_t>{1, 0});
  EXPECT_EQ(sweep.report.arms[0].label, "rpg");
  EXPECT_EQ(sweep.report.arms[0].configuration.optimizer.rate, 0.2);
  EXPECT_EQ(sweep.report.arms[0].configuration.train.seed, sweep.report.plan.first_seed);
}

TEST(Sweep, KeepsBudgetsAndReferencesOfTheArms) {
  ComparisonPlan plan = spring("gpomdp,rpg,gpomdp:algo.batch=5,rpg:algo.batch=5");
  for (const std::size_t i : {2U, 3U}) {
    plan.arms[i].budget = 30;
    plan.arms[i].reference = "gpomdp:algo.batch=5";
  }
  const ReadySweep sweep = prepare_sweep(plan, parse_sweeps(Texts{"optimizer.rate=0.1,0.2"}), 2);
  EXPECT_EQ(sweep.report.references, (std::vector<std::size_t>{0, 0, 2, 2}));
  EXPECT_EQ(sweep.settings[3][1].configuration.train.budget, 30);
  const std::vector<ArmResult> results(2, {.curves = {{.x = {30.0}, .y = {4.0}}}, .seconds = {}});
  EXPECT_EQ(pick_setting(sweep, 3, results).tried[0].areas, (std::vector<double>{4.0}));
}

TEST(Sweep, OfNothingIsThePlainComparison) {
  const ReadySweep sweep = prepare_sweep(spring("rpg,gpomdp"), {}, 0);
  const ReadyComparison plain = prepare(spring("rpg,gpomdp"));
  ASSERT_EQ(sweep.report.arms.size(), plain.arms.size());
  for (std::size_t i = 0; i < plain.arms.size(); ++i) {
    EXPECT_EQ(sweep.report.arms[i].configuration, plain.arms[i].configuration);
    EXPECT_EQ(sweep.settings[i].size(), 1U);
  }
  EXPECT_EQ(sweep.report.plan.first_seed, plain.plan.first_seed);
}

}  // namespace
}  // namespace retropg::test
