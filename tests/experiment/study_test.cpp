#include "retropg/experiment/study.hpp"

#include <gtest/gtest.h>

#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/run_comparison.hpp"

namespace retropg::test {
namespace {

using Texts = std::vector<std::string>;

ComparisonPlan plan_on(const std::string& environment, const std::string& algos, Index budget = 60) {
  ComparisonPlan plan{
      .title = environment, .base = {}, .arms = parse_arm_list(algos), .seeds = 3, .first_seed = 5, .budget = budget};
  plan.base.env.id = environment;
  return plan;
}

const Texts kRates = {"optimizer.rate=0.01,0.1"};

/// Arms whose runs have given areas.
Comparison comparison_with(const std::vector<std::pair<std::string, std::vector<double>>>& arms) {
  Comparison comparison{.plan = {.title = "scripted", .base = {}, .arms = {}}, .arms = {}, .pairs = {}};
  for (const auto& [label, areas] : arms) {
    ComparedArm arm;
    arm.label = label;
    for (const double area : areas) arm.scores.push_back({.area = area, .reached = {}});
    comparison.arms.push_back(arm);
  }
  return comparison;
}

TEST(Aggregate, NormalizesEveryEnvironmentByItsOwnReturns) {
  const std::vector<Comparison> comparisons = {
      comparison_with({{"a", {0.0, 10.0, 5.0, 5.0}}, {"b", {0.0, 0.0, 0.0, 0.0}}}),
      comparison_with({{"a", {-100.0, 0.0, -50.0, -50.0}}, {"b", {-100.0, -100.0, -100.0, 100.0}}})};
  const std::vector<ReferenceReturns> returns = {{.random = 0.0, .best = 10.0}, {.random = -100.0, .best = 0.0}};
  const Aggregate result = aggregate(comparisons, returns);
  ASSERT_EQ(result.arms.size(), 2U);
  EXPECT_EQ(result.arms[0].scores, (std::vector<std::vector<double>>{{0.0, 1.0, 0.5, 0.5}, {0.0, 1.0, 0.5, 0.5}}));
  EXPECT_DOUBLE_EQ(result.arms[0].interquartile_mean, 0.5);
  EXPECT_DOUBLE_EQ(result.arms[1].interquartile_mean, 0.0) << "seven zeros and a two";
  EXPECT_LE(result.arms[0].interval.low, 0.5);
  EXPECT_GE(result.arms[0].interval.high, 0.5);
  EXPECT_EQ(result.order(), (std::vector<std::size_t>{0, 1}));
  // First environment: 3 of 4 runs win and one ties with all. Second: 3/4 of the pairs with the three bad runs win.
  const double first = (12.0 + 0.5 * 4.0) / 16.0, second = (9.0 + 0.5 * 3.0) / 16.0;
  EXPECT_DOUBLE_EQ(result.pair(0, 1).probability, 0.5 * (first + second));
  EXPECT_DOUBLE_EQ(result.pair(0, 1).probability + result.pair(1, 0).probability, 1.0);
  EXPECT_EQ(result.arms[1].profile.threshold.front(), 0.0);
  EXPECT_EQ(result.arms[1].profile.threshold.back(), 2.0) << "a score above 1 is shown";
  EXPECT_DOUBLE_EQ(result.arms[1].profile.fraction.front(), 0.125);
  EXPECT_TRUE(result.left_out.empty());
}

TEST(Aggregate, LeavesOutArmsThatAreNotEverywhere) {
  const std::vector<Comparison> comparisons = {comparison_with({{"a", {1.0, 2.0}}, {"b", {1.0, 2.0}}}),
                                               comparison_with({{"c", {1.0, 2.0}}, {"a", {1.0, 2.0}}})};
  const std::vector<ReferenceReturns> returns(2, {.random = 0.0, .best = 2.0});
  const Aggregate result = aggregate(comparisons, returns);
  ASSERT_EQ(result.arms.size(), 1U);
  EXPECT_EQ(result.arms[0].label, "a");
  EXPECT_EQ(result.left_out, (Texts{"b", "c"}));
  expect_throw([&] { aggregate(comparisons, {}); }, "reference returns for every comparison");
}

TEST(Study, OfOneEnvironmentHasTheBitsOfTheComparison) {
  const std::vector<ComparisonPlan> plans = {plan_on("LinearQuadratic-v0", "rpg,gpomdp")};
  const Study study = run_study(prepare_study(plans, {}, 0));
  const Comparison plain = run_comparison(prepare(plans[0]));
  ASSERT_EQ(study.tasks.size(), 1U);
  EXPECT_FALSE(study.aggregate);
  for (std::size_t i = 0; i < plain.arms.size(); ++i) {
    for (std::size_t run = 0; run < 3; ++run) {
      EXPECT_EQ(bits(study.tasks[0].comparison.arms[i].runs[run].y), bits(plain.arms[i].runs[run].y));
    }
  }
}

TEST(Study, ReportsThePickedSettingsOnOtherSeeds) {
  const std::vector<ComparisonPlan> plans = {plan_on("LinearQuadratic-v0", "rpg,gpomdp,pois")};
  const Study study = run_study(prepare_study(plans, parse_sweeps(kRates), 2));
  const StudyTask& task = study.tasks[0];
  ASSERT_EQ(task.settings.size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    const PickedSetting& settings = task.settings[i];
    ASSERT_EQ(settings.tried.size(), 2U);
    // What was tried is the comparison of these settings on the seeds for picking.
    ComparisonPlan picking = plan_on("LinearQuadratic-v0", settings.tried[0].label + "," + settings.tried[1].label);
    picking.seeds = 2;
    const Comparison expected = run_comparison(prepare(picking));
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(settings.tried[k].area.mean, expected.arms[k].area.mean);
      EXPECT_LE(settings.tried[k].area.mean, settings.tried[settings.picked].area.mean);
    }
    // What is reported is the picked one on the seeds after those.
    ComparisonPlan reporting = plan_on("LinearQuadratic-v0", settings.tried[settings.picked].label);
    reporting.first_seed = 7;
    EXPECT_EQ(task.comparison.arms[i].area.mean, run_comparison(prepare(reporting)).arms[0].area.mean);
  }
  EXPECT_EQ(task.comparison.plan.first_seed, 7U);
  EXPECT_EQ(task.settings[2].tried.size(), 1U);
}

TEST(Study, RunsAllEnvironmentsAndAggregatesThem) {
  const std::vector<ComparisonPlan> plans = {plan_on("CartPoleContinuous-v0", "rpg,gpomdp"),
                                             plan_on("GaussianBandit-v0", "rpg,gpomdp")};
  const ReadyStudy ready = prepare_study(plans, parse_sweeps(kRates), 2);
  Index last = 0, calls = 0;
  const Study study = run_study(ready, [&](const RunsDone& runs) {
    EXPECT_EQ(runs.total, 2 * 2 * 2 * 2 + 2 * 2 * 3)
        << "environments, algorithms, settings, seeds; and the picked ones";
    EXPECT_GE(runs.done, last);
    last = runs.done;
    ++calls;
    return true;
  });
  EXPECT_EQ(last, 28);
  EXPECT_EQ(study.runs, 28);
  Index reported = 0;
  for (const StudyTask& task : study.tasks) {
    for (const ComparedArm& arm : task.comparison.arms) reported += arm.steps;
  }
  EXPECT_GT(study.steps, reported) << "runs for picking are counted";
  EXPECT_GT(calls, 20);
  ASSERT_EQ(study.tasks.size(), 2U);
  EXPECT_EQ(study.tasks[1].environment, "GaussianBandit-v0");
  ASSERT_TRUE(study.aggregate);
  const AggregateArm& arm = study.aggregate->arms[0];
  EXPECT_EQ(arm.label, "rpg");
  const ReferenceReturns& returns = study.returns[1];
  EXPECT_EQ(arm.scores[1][2],
            (study.tasks[1].comparison.arms[0].scores[2].area - returns.random) / (returns.best - returns.random));
  EXPECT_EQ(study.aggregate->reference, 1U) << "gpomdp";
}

TEST(Study, EndsWhenProgressSaysSo) {
  const std::vector<ComparisonPlan> plans = {plan_on("LinearQuadratic-v0", "rpg,gpomdp")};
  for (const Index stop : {1, 9}) {
    expect_throw<ExperimentStopped>(
        [&] {
          run_study(prepare_study(plans, parse_sweeps(kRates), 2),
                    [&](const RunsDone& runs) { return runs.done < stop; });
        },
        "stopped after " + std::to_string(stop) + " of 14 runs");
  }
}

TEST(Study, NeedsReferenceReturnsOfSeveralEnvironmentsOnly) {
  std::vector<ComparisonPlan> plans = {plan_on("CartPoleContinuous-v0", "rpg"), plan_on("LinearQuadratic-v0", "rpg")};
  for (ComparisonPlan& plan : plans) plan.base.env.horizon = 30;
  expect_throw([&] { prepare_study(plans, {}, 0); },
               "CartPoleContinuous-v0 has no reference returns for env.horizon = 30 and env.discount = 1, by which");
  plans.erase(plans.begin());
  EXPECT_NO_THROW(prepare_study(plans, {}, 0)) << "alone";
  plans = {plan_on("LinearQuadratic-v0", "rpg"), plan_on("LinearQuadratic-v0", "rpg")};
  expect_throw([&] { prepare_study(plans, {}, 0); }, "--env names LinearQuadratic-v0 twice");
}

TEST(Study, HasAPlanWithEverySettingOnEveryEnvironment) {
  const std::vector<ComparisonPlan> plans = {plan_on("CartPoleContinuous-v0", "rpg,pois"),
                                             plan_on("LinearQuadratic-v0", "rpg,pois")};
  const ResultsPlan plan = results_plan(prepare_study(plans, parse_sweeps(kRates), 2));
  Texts labels;
  for (const Arm& arm : plan.arms) labels.push_back(arm.label);
  EXPECT_EQ(labels,
            (Texts{"CartPoleContinuous-v0/rpg:optimizer.rate=0.01", "CartPoleContinuous-v0/rpg:optimizer.rate=0.1",
                   "CartPoleContinuous-v0/pois", "LinearQuadratic-v0/rpg:optimizer.rate=0.01",
                   "LinearQuadratic-v0/rpg:optimizer.rate=0.1", "LinearQuadratic-v0/pois"}));
  EXPECT_GT(plan.arms[0].cost, plan.arms[3].cost) << "long trajectories start first";
  const std::string file = to_toml(plan);
  EXPECT_EQ(require_same_plan(plan, file, {}), "");
  expect_throw(
      [&] {
        require_same_plan(results_plan(prepare_study(plans, parse_sweeps(kRates), 3)), file,
                          {{"pick_seeds", "--pick-seeds"}});
      },
      "was made with --pick-seeds 2, not 3");
}

}  // namespace
}  // namespace retropg::test
