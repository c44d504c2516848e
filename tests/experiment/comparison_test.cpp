#include "retropg/experiment/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report/comparison_output.hpp"
#include "retropg/configuration/train.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/run_comparison.hpp"

namespace retropg::test {
namespace {

ComparisonPlan small_plan(const std::string& algos, Index budget = 103) {
  ComparisonPlan plan{.title = "small", .base = {}, .arms = parse_arm_list(algos), .seeds = 3, .budget = budget};
  plan.base.env.id = "LinearQuadratic-v0";
  return plan;
}

/// Arms whose runs are given, not simulated.
ReadyComparison scripted(std::size_t arms, Index seeds, Index budget) {
  ReadyComparison ready{.plan = {.title = "scripted", .base = {}, .arms = {}, .seeds = seeds, .budget = budget},
                        .arms = {},
                        .references = std::vector<std::size_t>(arms, 0),
                        .refusals = {}};
  for (std::size_t i = 0; i < arms; ++i) {
    const std::string label(1, static_cast<char>('a' + i));
    ready.plan.arms.push_back({.label = label, .settings = {}});
    ready.arms.push_back({.label = label, .configuration = {}});
  }
  return ready;
}

/// A curve that rises from 0 to 100 around `middle`, one point every `batch`, `shift` higher.
Curve rising(double middle, double batch, double budget, double shift) {
  Curve curve;
  for (double x = batch; x <= budget; x += batch) {
    curve.x.push_back(x);
    curve.y.push_back(100.0 / (1.0 + std::exp(-(x - middle) / (0.1 * middle))) + shift);
  }
  return curve;
}

ArmResult result(std::vector<Curve> curves) {
  const std::size_t runs = curves.size();
  return {.curves = std::move(curves), .seconds = std::vector<double>(runs, 0.5), .steps = 7};
}

Comparison three_arms() {
  const std::vector<double> shifts = {-1.0, 0.0, 2.0};
  std::vector<ArmResult> results;
  for (const auto& [middle, batch] : {std::pair{250.0, 5.0}, {500.0, 10.0}, {500.0, 10.0}}) {
    std::vector<Curve> curves;
    for (const double shift : shifts) curves.push_back(rising(middle, batch, 1000.0, shift));
    results.push_back(result(std::move(curves)));
  }
  ReadyComparison ready = scripted(3, 3, 1000);
  ready.references = {1, 1, 1};
  ready.plan.threshold = 99.0;
  ready.plan.arms[0].expected = {.mean = 75.0, .standard_error = 0.1};
  ready.plan.arms[1].expected = {.mean = 60.0, .standard_error = 0.1};
  return analyze(ready, std::move(results));
}

TEST(Comparison, DescribesEveryArm) {
  const Comparison comparison = three_arms();
  const ComparedArm& fast = comparison.arms[0];
  // The mean of a curve symmetric about its middle, with the step function's half batch and the mean shift of 1/3.
  EXPECT_NEAR(fast.area.mean, 75.0 + 0.25 + 1.0 / 3.0, 0.05);
  EXPECT_NEAR(fast.area.standard_error, std::sqrt(7.0 / 3.0 / 3.0), 1e-9);  // shifts -1, 0, 2: s^2 = 7/3
  EXPECT_NEAR(fast.area.student_t, 4.302653 * fast.area.standard_error, 1e-6);
  EXPECT_NEAR(fast.area.normal, 1.959964 * fast.area.standard_error, 1e-6);
  EXPECT_NEAR(fast.improvement.mean, 100.0, 0.1);
  EXPECT_TRUE(fast.improves);
  EXPECT_EQ(fast.fall.mean, 0.0);
  EXPECT_NEAR(fast.interquartile_area, fast.area.mean - 1.0 / 3.0 + (2.0 - 1.0) * 0.25 / 1.5, 1e-9);
  EXPECT_TRUE(fast.agrees);
  EXPECT_FALSE(comparison.arms[1].agrees) << "60 is not within 4.3 x hypot(0.88, 0.1) = 3.8 of 50.8";
  EXPECT_EQ(fast.curve.x, common_grid(1000));
  EXPECT_EQ(fast.curve.runs, 3);
  EXPECT_EQ(fast.never_reached, 1) << "the lowest run ends at 99 - a little";
  ASSERT_TRUE(fast.median_reached);
  EXPECT_EQ(*fast.median_reached, fast.scores[1].reached);
  EXPECT_EQ(comparison.order(), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Comparison, RelatesEveryTwoArms) {
  const Comparison comparison = three_arms();
  ASSERT_EQ(comparison.pairs.size(), 6U);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (i == j) continue;
      const ArmPair &there = comparison.pair(i, j), &back = comparison.pair(j, i);
      EXPECT_EQ(there.candidate, i);
      EXPECT_EQ(there.reference, j);
      EXPECT_DOUBLE_EQ(there.probability + back.probability, 1.0);
      EXPECT_DOUBLE_EQ(there.difference, -back.difference);
      EXPECT_NEAR(there.welch.low, -back.welch.high, 1e-9);
      EXPECT_NEAR(there.paired.low, -back.paired.high, 1e-9);
      EXPECT_NEAR(there.probability_interval.low, 1.0 - back.probability_interval.high, 1e-12);
      EXPECT_EQ(std::isfinite(there.speedup.bootstrap.low), j == comparison.arms[i].reference);
    }
  }
  EXPECT_EQ(comparison.pair(1, 2).speedup.ratio, 1.0) << "identical curves";
  EXPECT_DOUBLE_EQ(comparison.pair(1, 2).probability, 0.5);
  // The runs of an arm are shifted alike: seed by seed the difference hardly varies.
  const ArmPair& shifted = comparison.pair(0, 1);
  EXPECT_LT(shifted.paired.high - shifted.paired.low, 0.2 * (shifted.welch.high - shifted.welch.low));
  EXPECT_NEAR(0.5 * (shifted.paired.low + shifted.paired.high), shifted.difference, 1e-9);
  EXPECT_NEAR(comparison.pair(0, 1).speedup.ratio, 2.0, 0.02);
  EXPECT_NEAR(comparison.pair(1, 0).speedup.ratio, 0.5, 0.02);
  EXPECT_DOUBLE_EQ(comparison.pair(0, 1).probability, 1.0);
  expect_throw([&] { comparison.pair(1, 1); }, "no such pair");
}

TEST(Comparison, ArmsThatStandStillDoNotImprove) {
  std::vector<ArmResult> results;
  results.push_back(result({{.x = {50.0, 100.0}, .y = {1.0, 2.0}}, {.x = {50.0, 100.0}, .y = {2.0, 1.0}}}));
  const Comparison comparison = analyze(scripted(1, 2, 100), std::move(results));
  EXPECT_FALSE(comparison.arms[0].improves);
  EXPECT_EQ(comparison.arms[0].improvement.mean, 0.0);
}

TEST(Comparison, RunsRepeatTrainBitForBitAndKeepToTheBudget) {
  ComparisonPlan plan = small_plan("rpg,gpomdp:algo.batch=7,bh-pg");
  plan.first_seed = 40;
  const Comparison comparison = run_comparison(prepare(plan));
  for (const ComparedArm& arm : comparison.arms) {
    for (std::size_t run = 0; run < 3; ++run) {
      Configuration configuration = arm.configuration;
      configuration.train.seed = 40 + run;
      configuration.train.threads = 2;
      Curve curve;
      train(configuration, [&](const IterationRecord& record) {
        curve.x.push_back(static_cast<double>(record.trajectories));
        curve.y.push_back(record.return_mean);
        return true;
      });
      EXPECT_EQ(arm.runs[run].x, curve.x);
      EXPECT_EQ(bits(arm.runs[run].y), bits(curve.y)) << arm.label;
      EXPECT_EQ(arm.runs[run].x.back(), 103.0) << "all of the budget, with a last partial batch";
    }
  }
  EXPECT_EQ(bits({&comparison.arms[0].runs[1].y[0], 1}), bits({&comparison.arms[2].runs[1].y[0], 1}))
      << "the arms of a seed start alike";
}

TEST(Comparison, TakesGpomdpOrTheFirstForReference) {
  using References = std::vector<std::size_t>;
  EXPECT_EQ(prepare(small_plan("rpg,gpomdp,bh-pg")).references, (References{1, 1, 1}));
  EXPECT_EQ(prepare(small_plan("rpg,bh-pg")).references, (References{0, 0}));
  ComparisonPlan plan = small_plan("rpg,bh-pg");
  plan.reference = "bh-pg";
  EXPECT_EQ(prepare(plan).references, (References{1, 1}));
  plan.arms[1].reference = "rpg";
  EXPECT_EQ(prepare(plan).references, (References{1, 0}));
  plan.reference = "gpomdp";
  expect_throw([&] { prepare(plan); }, "unknown reference 'gpomdp'");
}

TEST(Comparison, ComparesOnlyArmsWithTheSameBudget) {
  ComparisonPlan plan = small_plan("rpg,gpomdp,bh-pg", 0);
  plan.arms[0].budget = plan.arms[1].budget = 60;
  plan.arms[2].budget = 40;
  expect_throw([&] { prepare(plan); }, "arm 'bh-pg' has another budget than its reference, 'gpomdp'");
  plan.arms[2].reference = "bh-pg";
  const Comparison comparison = run_comparison(prepare(plan));
  EXPECT_EQ(comparison.pairs.size(), 2U);
  EXPECT_EQ(comparison.arms[0].runs[0].x.back(), 60.0);
  EXPECT_EQ(comparison.arms[2].runs[0].x.back(), 40.0);
  EXPECT_FALSE(comparison.has_one_reference());
  EXPECT_EQ(comparison.order(), (std::vector<std::size_t>{0, 1, 2}));
  expect_throw([&] { comparison.pair(0, 2); }, "no such pair");
}

TEST(Comparison, TakesAreasOfLongerRunsOverTheCommonBudget) {
  ComparisonPlan plan = small_plan("rpg,gpomdp", 50);
  const Comparison plain = run_comparison(prepare(plan));
  plan.arms[1].budget = 90;
  const Comparison longer = run_comparison(prepare(plan));
  EXPECT_EQ(longer.arms[1].runs[0].x.back(), 90.0);
  EXPECT_EQ(longer.arms[1].area.mean, plain.arms[1].area.mean);
  EXPECT_EQ(longer.arms[1].end.mean, plain.arms[1].end.mean);
  EXPECT_EQ(longer.arms[1].curve.mean, plain.arms[1].curve.mean);
}

TEST(Comparison, RefusesNumbersThatMakeNoSense) {
  ComparisonPlan plan = small_plan("rpg");
  plan.seeds = 1;
  expect_throw([&] { prepare(plan); }, "2 to 100000 seeds");
  plan = small_plan("rpg", 0);
  expect_throw([&] { prepare(plan); }, "at least 1");
  plan = small_plan("rpg");
  plan.threshold = NAN;
  expect_throw([&] { prepare(plan); }, "finite");
  plan = small_plan("rpg");
  plan.first_seed = std::uint64_t{1} << 63;
  expect_throw([&] { prepare(plan); }, "2^63");
}

TEST(Comparison, EndsWhenProgressSaysSo) {
  expect_throw<ExperimentStopped>(
      [] { run_comparison(prepare(small_plan("rpg,gpomdp")), [](const RunsDone& runs) { return runs.done < 2; }); },
      "stopped after 2 of ");
}

TEST(ComparisonFolder, QuotesLabels) {
  const TemporaryFolder folder;
  Comparison comparison = three_arms();
  comparison.arms[0].label = "a, \"b\"";
  comparison.arms[1].label = "x/y";
  comparison.arms[2].label = "x:y";
  std::string problem;
  app::write_comparison(comparison, folder.path(), {});
  app::draw_comparison(comparison, folder.path(), &problem);
  const std::vector<std::string> names = listing(folder.path());
  for (const char* name : {"curves.csv", "figure.dat", "figure.gp", "pairs.csv", "runs.csv", "scores.csv",
                           "summary.csv", "summary.json", "timing.csv"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  EXPECT_TRUE(lines(read_file(folder / "summary.csv"))[1].starts_with("\"a, \"\"b\"\"\","));
  EXPECT_EQ(lines(read_file(folder / "pairs.csv")).size(), 7U);
  EXPECT_EQ(lines(read_file(folder / "curves.csv")).size(), 1U + 3U * 400U);
  EXPECT_EQ(lines(read_file(folder / "runs.csv")).size(), 1U + 3U * (200U + 100U + 100U));
}

TEST(Arms, HaveFileNamesThatAreApart) {
  const std::vector<Arm> arms = {{.label = "a, \"b\"", .configuration = {}},
                                 {.label = "x/y", .configuration = {}},
                                 {.label = "x:y", .configuration = {}},
                                 {.label = std::string(300, 'z'), .configuration = {}}};
  EXPECT_EQ(file_names(arms), (std::vector<std::string>{"a___b_", "x_y", "x_y-2", std::string(100, 'z')}));
}

TEST(RunComparison, TellsHowFarTheRunsUnderWayAre) {
  ComparisonPlan plan = small_plan("rpg,gpomdp");
  plan.threads = 1;
  double last = 0.0;
  Index within = 0;
  run_comparison(prepare(plan), [&](const RunsDone& runs) {
    const double now = static_cast<double>(runs.done) + runs.under_way;
    EXPECT_GE(now, last);
    EXPECT_LE(now, static_cast<double>(runs.total));
    if (runs.under_way > 0.0 && runs.under_way < 1.0) ++within;
    last = now;
    return true;
  });
  EXPECT_EQ(last, static_cast<double>(2 * plan.seeds));
  EXPECT_GT(within, 2 * plan.seeds);
}

}  // namespace
}  // namespace retropg::test
