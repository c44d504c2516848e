#include "retropg/estimator/on_policy.hpp"
#include "retropg/experiment/arm_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "retropg/configuration/registry.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

std::vector<std::string> labels(const std::string& list) {
  std::vector<std::string> result;
  for (const ArmPlan& plan : parse_arm_list(list)) result.push_back(plan.label);
  return result;
}

std::vector<Arm> arms(const std::string& list, const Configuration& base = {}) {
  std::vector<ArmPlan> plans = parse_arm_list(list);
  Refusals refusals;
  return make_arms(base, plans, 100, refusals);
}

TEST(ArmList, NamesAlgorithmsWithSettingsOfTheirOwn) {
  EXPECT_EQ(labels("rpg,gpomdp"), (std::vector<std::string>{"rpg", "gpomdp"}));
  EXPECT_EQ(labels("rt-pg,th-rpg:algo.window=4"), (std::vector<std::string>{"rpg", "rpg-theory:algo.window=4"}));
  const std::vector<ArmPlan> plans = parse_arm_list("gpomdp:algo.batch=20:optimizer.rate=0.02");
  EXPECT_EQ(plans[0].settings, (std::vector<std::string>{"algo.name=gpomdp", "algo.batch=20", "optimizer.rate=0.02"}));
}

TEST(ArmList, IsNotSplitWithinBracketsAndQuotes) {
  const std::vector<ArmPlan> plans = parse_arm_list("rpg:policy.scale=[1,2,3,4]:policy.activation=\"a:b,c\",gpomdp");
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_EQ(plans[0].settings,
            (std::vector<std::string>{"algo.name=rpg", "policy.scale=[1,2,3,4]", "policy.activation=\"a:b,c\""}));
}

TEST(ArmList, AllIsEveryAlgorithmThatIsRegistered) {
  std::vector<std::string> names;
  for (const AlgorithmEntry& entry : algorithms()) names.push_back(entry.name);
  EXPECT_EQ(labels("all"), names);
  for (const ArmPlan& plan : parse_arm_list("all")) EXPECT_TRUE(plan.optional);
  names.push_back("rpg:algo.window=3");
  EXPECT_EQ(labels("all,rpg:algo.window=3"), names);
}

TEST(ArmList, RefusesEmptyItemsAndUnknownAlgorithms) {
  expect_throw([] { parse_arm_list(""); }, "empty item");
  expect_throw([] { parse_arm_list("rpg,"); }, "empty item");
  expect_throw([] { parse_arm_list("rpg,gpomdb"); }, "unknown algorithm 'gpomdb'; did you mean 'gpomdp'?");
}

TEST(Arms, HaveNamesThatFitIntoTables) {
  expect_throw([] { arms("gpomdp,rpg:policy.activation=\"ta\nnh\""); }, "contains a control character");
  std::vector<ArmPlan> plans = {{.label = "two\nlines", .settings = {"algo.name=rpg"}}};
  Refusals refusals;
  expect_throw([&] { make_arms({}, plans, 100, refusals); },
               "arm 'two lines': its name contains a control character, such as a tab or a line break");
}

TEST(Arms, PutTheirSettingsOnTopOfTheBaseAndEndWithTheBudget) {
  Configuration base;
  base.algo.batch = 7;
  base.train.iterations = 3;
  const std::vector<Arm> made = arms("rpg,rpg:algo.window=2:optimizer.rate=0.5", base);
  EXPECT_EQ(made[0].configuration.algo.window, base.algo.window);
  EXPECT_EQ(made[1].configuration.algo.window, 2);
  EXPECT_EQ(made[1].configuration.optimizer.rate, 0.5);
  for (const Arm& arm : made) {
    EXPECT_EQ(arm.configuration.algo.batch, 7);
    EXPECT_EQ(arm.configuration.train.budget, 100);
    EXPECT_EQ(arm.configuration.train.iterations, std::nullopt) << "the budget alone ends a run";
  }
}

TEST(Arms, OfAllRunNoMethodTwiceWhereTheExplorationIsGiven) {
  Configuration base;
  base.policy.exploration = "parameters";
  std::vector<std::string> names;
  for (const Arm& arm : arms("all", base)) names.push_back(arm.label);
  EXPECT_NE(std::ranges::find(names, "rpg"), names.end());
  for (const char* pair : {"pgpe", "pb-rpg", "pb-miw", "pb-bh", "p-pois"}) {
    EXPECT_EQ(std::ranges::find(names, pair), names.end()) << pair;
  }
  EXPECT_EQ(arms("rpg,pb-rpg", base).size(), 2u) << "who names both gets both";
}

TEST(Arms, ErrorsNameTheArm) {
  expect_throw([] { arms("gpomdp,rpg:algo.windw=16"); },
               "arm 'rpg:algo.windw=16': unknown key 'algo.windw'; did you mean 'algo.window'?");
  expect_throw([] { arms("rpg:algo.window=0"); }, "arm 'rpg:algo.window=0': algo.window must be");
  expect_throw([] { arms("rpg:algo.coefficients=explicit"); }, "arm 'rpg:algo.coefficients=explicit': algo.");
  expect_throw([] { arms("rpg:"); }, "arm 'rpg:'");
}

TEST(Arms, MayNotSetWhatTheComparisonDecides) {
  for (const char* setting :
       {"algo.name=gpomdp", "train.seed=3", "train.budget=5", "train.iterations=5", "train.steps=5"}) {
    expect_throw([&] { arms(std::string("rpg:") + setting); }, "the comparison sets it");
  }
  expect_throw([] { arms("rpg:env.horizon=20"); }, "may not change the environment");
  expect_throw([] { arms("rpg:bandit.width=2"); }, "may not change the environment");
}

TEST(Arms, MustDiffer) {
  expect_throw([] { arms("rpg,gpomdp,rt-pg"); }, "arm 'rpg' is named twice");
  expect_throw([] { arms("rpg,rpg:algo.window=8"); }, "arms 'rpg' and 'rpg:algo.window=8' have the same configuration");
}

/// An algorithm that no linear policy suits, there from the first call on.
void register_choosy_algorithm() {
  static const bool done = [] {
    register_algorithm({{"test-choosy", {}, "refuses linear policies"},
                        [](const Configuration& configuration, const EnvironmentDefinition&, const Policy& policy) {
                          require(!policy.provides(Capability::kConcave), "it suits no linear policy");
                          return on_policy(configuration.algo.batch, Credit::kRewardToGo);
                        }});
    return true;
  }();
  static_cast<void>(done);
}

TEST(Arms, ThatAreOptionalAreLeftOutWithTheReasonAndOthersAreAnError) {
  register_choosy_algorithm();
  std::vector<ArmPlan> plans = parse_arm_list("all");
  const std::size_t planned = plans.size();
  Refusals refusals;
  const std::vector<Arm> made = make_arms({}, plans, 100, refusals);
  EXPECT_NE(std::find(refusals.begin(), refusals.end(), "test-choosy: it suits no linear policy"), refusals.end());
  EXPECT_EQ(made.size() + refusals.size(), planned);
  EXPECT_EQ(plans.size(), made.size());
  for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(made[i].label, plans[i].label);

  expect_throw([] { arms("rpg,test-choosy"); }, "arm 'test-choosy': it suits no linear policy");
  std::vector<ArmPlan> alone = {{.label = "test-choosy", .settings = {"algo.name=test-choosy"}, .optional = true}};
  expect_throw([&] { make_arms({}, alone, 100, refusals); }, "no algorithm is left to compare");
}

TEST(Arms, WhatIsWrongForAllIsNoRefusal) {
  Configuration base;
  base.policy.variance = {0.1, 0.2};  // of one action
  expect_throw([&] { arms("all", base); }, "no algorithm is left to compare; rpg: policy.variance has 2 numbers");
  base.env.id = "CartPol";
  expect_throw([&] { arms("all", base); }, "unknown environment 'CartPol'");
  expect_throw(
      [] {
        std::vector<ArmPlan> plans = parse_arm_list("rpg");
        Refusals refusals;
        make_arms({}, plans, 0, refusals);
      },
      "budget must be at least 1");
}

}  // namespace
}  // namespace retropg::test
