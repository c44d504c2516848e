#include "retropg/experiment/results_plan.hpp"

#include <gtest/gtest.h>

#include "retropg/experiment/keep.hpp"
#include "retropg/experiment/study.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

ComparisonPlan small_plan() {
  ComparisonPlan plan{
      .title = "the \"title\"", .base = {}, .arms = parse_arm_list("rpg,gpomdp"), .seeds = 3, .budget = 103};
  plan.base.env.id = "LinearQuadratic-v0";
  return plan;
}

ResultsPlan plan_of(const ComparisonPlan& plan) {
  return results_plan(prepare_study({&plan, 1}, {}, 0));
}

const PlanFlags kFlags = {{"seed", "--seed"}, {"budget", "--budget"}};

/// What is said about a folder made with `there` if `now` is to go on in it.
void expect_refused(const ComparisonPlan& there, const ComparisonPlan& now, const std::string& text) {
  const std::string file = to_toml(plan_of(there));
  expect_throw([&] { require_same_plan(plan_of(now), file, kFlags); }, text);
}

TEST(ResultsPlan, IsTheSameWithOtherThreadsAndWhatOnlyTheTablesNeed) {
  ComparisonPlan plan = small_plan();
  const std::string file = to_toml(plan_of(plan));
  plan.threads = 7;
  plan.base.train.threads = 3;
  plan.title = "another";
  plan.seeds = 5;
  plan.threshold = -0.1;
  plan.reference = "rpg";
  plan.arms[0].expected = {.mean = 0.2};
  EXPECT_EQ(require_same_plan(plan_of(plan), file, kFlags), "");
}

TEST(ResultsPlan, NamesWhatDiffers) {
  const ComparisonPlan there = small_plan();
  ComparisonPlan now = there;
  now.first_seed = 9;
  expect_refused(there, now, "was made with --seed 1, not 9");
  now = there;
  now.budget = 104;
  expect_refused(there, now, "was made with --budget 103, not 104");
}

TEST(ResultsPlan, NamesTheArmThatDiffers) {
  const ComparisonPlan there = small_plan();
  ComparisonPlan now = there;
  now.base.algo.window = 4;
  expect_refused(there, now, "arm 'rpg' was made with algo.window = 8, not 4");
  now = there;
  now.base.env.id = "GaussianBandit-v0";
  expect_refused(there, now, "arm 'rpg' was made with env.id = \"LinearQuadratic-v0\", not \"GaussianBandit-v0\"");
  now = there;
  now.arms.push_back(parse_arm_list("bh-pg")[0]);
  expect_refused(there, now, "was made without arm 'bh-pg'");
  expect_refused(now, there, "was made with arm 'bh-pg' too");
  now.arms.erase(now.arms.begin());
  expect_refused(there, now, "was made without arm 'bh-pg', with 'rpg'");
  now = there;
  std::swap(now.arms[0], now.arms[1]);
  expect_refused(there, now, "was made with the arms in another order: rpg, gpomdp");
}

TEST(ResultsPlan, SaysIfAnotherProgramMadeIt) {
  const ResultsPlan plan = plan_of(small_plan());
  std::string file = to_toml(plan);
  const std::size_t at = file.find("version = '");
  ASSERT_NE(at, std::string::npos);
  file.replace(at, 12, "version = 'old-");
  EXPECT_NE(require_same_plan(plan, file, kFlags).find("was made by version old-"), std::string::npos);
}

TEST(ResultsPlan, RefusesAFileThatIsNone) {
  const ResultsPlan plan = plan_of(small_plan());
  const std::string file = to_toml(plan);
  for (std::size_t length = 0; length + 1 < file.size(); length += 7) {
    try {
      require_same_plan(plan, std::string_view(file).substr(0, length), kFlags);
      ADD_FAILURE() << "accepted " << length << " of " << file.size() << " bytes";
    } catch (const Error&) {
    }
  }
}

TEST(Keep, IsAListOfWords) {
  EXPECT_EQ(parse_keep("policies"), Keep{});
  EXPECT_EQ(parse_keep("none"), (Keep{.policies = false}));
  EXPECT_EQ(parse_keep("NONE"), parse_keep("none"));
  EXPECT_EQ(parse_keep("Metrics,POLICIES"), parse_keep("policies,metrics"));
  EXPECT_EQ(parse_keep("all"), (Keep{.policies = true, .metrics = true, .checkpoints = true}));
  EXPECT_EQ(parse_keep("checkpoints,metrics"), (Keep{.policies = false, .metrics = true, .checkpoints = true}));
  for (const char* text : {"none", "policies", "policies,metrics,checkpoints", "metrics", "curves"}) {
    EXPECT_EQ(to_text(parse_keep(text)), text);
  }
  for (const char* text : {"", "policies,", ",", "all,none", "policy", "curves,policies"}) {
    expect_throw([&] { parse_keep(text); }, "--keep: unknown word '");
  }
}

}  // namespace
}  // namespace retropg::test
