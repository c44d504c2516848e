#include "retropg/experiment/given_setting.hpp"

#include <gtest/gtest.h>

#include "support/expect_throw.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

const std::vector<GivenSetting> kWindow = {{.text = "--window 8", .key = "algo.window"}};

ComparisonPlan plan(const std::string& algos) {
  return {.title = "small", .base = {}, .arms = parse_arm_list(algos), .seeds = 2, .budget = 60};
}

void check(const std::string& algos, const std::vector<GivenSetting>& given,
           const std::vector<std::string>& sweeps = {}) {
  require_effect(given, arm_uses(prepare_sweep(plan(algos), parse_sweeps(sweeps), sweeps.empty() ? 0 : 2)));
}

TEST(GivenSettings, MustHaveAnEffectOnTheRun) {
  EXPECT_NO_THROW(require_effect(kWindow, configured({"algo.name=rpg"})));
  EXPECT_NO_THROW(require_effect(kWindow, configured({"algo.name=gpomdp", "algo.baseline=value"})));
  expect_throw([] { require_effect(kWindow, configured({"algo.name=gpomdp"})); },
               "--window 8: gpomdp does not read algo.window with these settings (read in [algo]: batch, baseline)");
}

TEST(GivenSettings, OfAComparisonMustHaveAnEffectOnOneArm) {
  EXPECT_NO_THROW(check("rpg,gpomdp", kWindow));
  EXPECT_NO_THROW(check("all", kWindow));
  EXPECT_NO_THROW(check("rpg,rpg:algo.window=2", kWindow));
  expect_throw([] { check("gpomdp,reinforce", kWindow); },
               "--window 8: no algorithm of this comparison reads algo.window (read in [algo]: batch, baseline)");
  expect_throw([] { check("gpomdp,rpg:algo.window=4", kWindow); },
               "--window 8: every algorithm that reads algo.window sets it itself");
}

TEST(GivenSettings, OfAnArmMustHaveAnEffectOnIt) {
  EXPECT_NO_THROW(check("gpomdp:algo.batch=5,gpomdp:algo.baseline=value:algo.window=3", {}));
  expect_throw([] { check("rpg,gpomdp:algo.window=4", {}); },
               "arm 'gpomdp:algo.window=4': gpomdp does not read algo.window with these settings (read in [algo]:");
  expect_throw([] { check("rpg,pois:optimizer.rate=0.1", {}); },
               "arm 'pois:optimizer.rate=0.1': pois does not read optimizer.rate with these settings (read: ");
}

TEST(GivenSettings, MayHaveTheirEffectOnOneOfTheSettingsThatAreTried) {
  const std::vector<GivenSetting> bound = {{.text = "--set algo.divergence_bound=3", .key = "algo.divergence_bound"}};
  expect_throw([&] { check("rpg", bound); }, "no algorithm of this comparison reads algo.divergence_bound");
  EXPECT_NO_THROW(check("rpg", bound, {"algo.coefficients=adaptive,fixed"}));
}

}  // namespace
}  // namespace retropg::test
