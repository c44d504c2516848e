#include "retropg/experiment/claim.hpp"

#include <gtest/gtest.h>

#include "support/constant_arms.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

Claim claim(Check check, const std::string& candidate, const std::string& reference, double margin = 0.0) {
  return {.text = "t", .check = check, .candidate = {candidate}, .reference = {reference}, .margin = margin};
}

Comparison three() {
  return constant_arms({{20.0, 21.0, 22.0, 21.0}, {10.0, 11.0, 12.0, 11.0}, {10.5, 11.5, 12.5, 11.5}});
}

Verdict verdict(const Claim& claim, const Comparison& comparison = three(), bool full = true) {
  return decide(std::span(&claim, 1), comparison, 0, full).front().verdict;
}

TEST(Claims, AheadHoldsFailsOrIsOpen) {
  EXPECT_EQ(verdict(claim(Check::kAhead, "a", "b")), Verdict::kHolds);
  EXPECT_EQ(verdict(claim(Check::kAhead, "b", "a")), Verdict::kDoesNotHold);
  EXPECT_EQ(verdict(claim(Check::kAhead, "c", "b")), Verdict::kNotDecided);
  Claim times = claim(Check::kAhead, "a", "b");
  times.factor = 3.0;
  EXPECT_EQ(verdict(times), Verdict::kDoesNotHold) << "21 is clearly below 33";
}

TEST(Claims, SimilarNeedsTheIntervalInsideTheMargin) {
  EXPECT_EQ(verdict(claim(Check::kSimilar, "c", "b", 10.0)), Verdict::kHolds);
  EXPECT_EQ(verdict(claim(Check::kSimilar, "c", "b", 0.6)), Verdict::kNotDecided);
  EXPECT_EQ(verdict(claim(Check::kSimilar, "a", "b", 5.0)), Verdict::kDoesNotHold);
  EXPECT_EQ(verdict(claim(Check::kSimilar, "b", "a", 5.0)), Verdict::kDoesNotHold);
}

TEST(Claims, NotBehindIsOneSided) {
  EXPECT_EQ(verdict(claim(Check::kNotBehind, "b", "c", 5.0)), Verdict::kHolds);
  EXPECT_EQ(verdict(claim(Check::kNotBehind, "a", "b", 5.0)), Verdict::kHolds);
  EXPECT_EQ(verdict(claim(Check::kNotBehind, "b", "a", 5.0)), Verdict::kDoesNotHold);
  EXPECT_EQ(verdict(claim(Check::kNotBehind, "b", "a", 10.0)), Verdict::kNotDecided);
}

TEST(Claims, LevelsAreTestedAgainstANumber) {
  Claim level{.text = "t",
              .check = Check::kBelow,
              .measure = Measure::kEnd,
              .candidate = {"a"},
              .reference = {},
              .value = 30.0};
  EXPECT_EQ(verdict(level), Verdict::kHolds);
  level.value = 15.0;
  EXPECT_EQ(verdict(level), Verdict::kDoesNotHold);
  level.check = Check::kAbove;
  EXPECT_EQ(verdict(level), Verdict::kHolds);
  level.value = 21.0;
  EXPECT_EQ(verdict(level), Verdict::kNotDecided);
}

TEST(Claims, FewerTrajectoriesToAReturnAreAhead) {
  Claim reached = claim(Check::kAhead, "a", "b");
  reached.measure = Measure::kReached;
  reached.value = 15.0;  // a is there at once, b never
  const Decision decision = decide(std::span(&reached, 1), three(), 0, true).front();
  EXPECT_EQ(decision.verdict, Verdict::kHolds);
  EXPECT_EQ(decision.estimate, -900.0) << "100 against the whole budget";
}

TEST(Claims, CountRuns) {
  Claim often = claim(Check::kMoreOften, "a", "b");
  often.measure = Measure::kEnd;
  often.value = 15.0;
  EXPECT_EQ(verdict(often), Verdict::kHolds) << "4 of 4 against 0 of 4: p = 2 / 70";
  std::swap(often.candidate, often.reference);
  EXPECT_EQ(verdict(often), Verdict::kDoesNotHold);
  EXPECT_NE(decide(std::span(&often, 1), three(), 0, true)[0].statistic.find("0 of 4 of b, 4 of 4 of a"),
            std::string::npos);
}

TEST(Claims, SeveralArmsCountByTheirMeanPerSeed) {
  Claim pooled = claim(Check::kAhead, "a", "b");
  pooled.reference = {"a", "b"};
  const Decision decision = decide(std::span(&pooled, 1), three(), 0, true).front();
  EXPECT_DOUBLE_EQ(decision.estimate, 5.0);
}

TEST(Claims, OnlyTheFirstRunsCountIfAsked) {
  const Comparison late = constant_arms({{20.0, 21.0, 0.0, 0.0}, {10.0, 11.0, 30.0, 30.0}});
  const Claim ahead = claim(Check::kAhead, "a", "b");
  const Decision first = decide(std::span(&ahead, 1), late, 2, true).front();
  EXPECT_DOUBLE_EQ(first.estimate, 10.0);
  EXPECT_EQ(first.runs, 2);
  EXPECT_LT(decide(std::span(&ahead, 1), late, 0, true).front().estimate, 0.0);
}

TEST(Claims, ShorterRunsLeaveClaimsAboutTheEndOpen) {
  Claim ahead = claim(Check::kAhead, "a", "b");
  ahead.full_scale = true;
  EXPECT_EQ(verdict(ahead), Verdict::kHolds);
  EXPECT_EQ(verdict(ahead, three(), false), Verdict::kNotDecided);
}

TEST(Claims, ShorterRunsLeaveLikenessOpen) {
  EXPECT_EQ(verdict(claim(Check::kSimilar, "c", "b", 10.0), three(), false), Verdict::kNotDecided);
  EXPECT_EQ(verdict(claim(Check::kNotBehind, "a", "b", 5.0), three(), false), Verdict::kNotDecided);
  EXPECT_EQ(verdict(claim(Check::kAhead, "a", "b"), three(), false), Verdict::kHolds);
}

/// Returns that rise by 1 per 100 trajectories, and twice as fast.
Comparison slow_and_fast() {
  Comparison comparison = constant_arms({{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}});
  for (std::size_t arm = 0; arm < 2; ++arm) {
    for (std::size_t run = 0; run < 4; ++run) {
      Curve& curve = comparison.arms[arm].runs[run];
      curve = {};
      for (int i = 1; i <= 10; ++i) {
        add_point(curve, 100.0 * i, (arm == 0 ? 1.0 : 2.0) * i + 0.01 * static_cast<double>(run));
      }
    }
  }
  return comparison;
}

TEST(Claims, ARatioHoldsIfItsIntervalMeetsThePapers) {
  Claim ratio = claim(Check::kRatio, "b", "a");
  ratio.highest_ratio = 3.0;
  ratio.paper_ratio = 2.0;
  ratio.paper_interval = {1.9, 2.1};
  const Decision decision = decide(std::span(&ratio, 1), slow_and_fast(), 0, true).front();
  EXPECT_EQ(decision.verdict, Verdict::kHolds);
  EXPECT_NEAR(decision.estimate, 2.0, 0.02);
  EXPECT_FALSE(decision.adjusted_p);
  EXPECT_EQ(verdict(ratio, slow_and_fast(), false), Verdict::kNotDecided) << "shorter runs than the paper's";
  ratio.paper_interval = {2.5, 2.9};
  EXPECT_EQ(verdict(ratio, slow_and_fast()), Verdict::kDoesNotHold);
}

TEST(Claims, FallsAndSecondsAreMeasured) {
  Comparison comparison = three();
  comparison.arms[0].seconds = {2.0, 2.1, 2.2, 2.1};
  comparison.arms[1].seconds = {1.0, 1.1, 1.2, 1.1};
  Claim longer = claim(Check::kAhead, "a", "b");
  longer.measure = Measure::kSeconds;
  EXPECT_EQ(verdict(longer, comparison), Verdict::kHolds);
  Claim falls = claim(Check::kAhead, "a", "b");
  falls.measure = Measure::kFall;
  for (std::size_t run = 0; run < 4; ++run) {
    Curve& curve = comparison.arms[0].runs[run];
    curve.y.back() = -1000.0 - static_cast<double>(run);
  }
  EXPECT_EQ(verdict(falls, comparison), Verdict::kHolds);
  EXPECT_EQ(verdict(falls), Verdict::kNotDecided) << "neither falls";
}

TEST(Claims, ThatCannotBeDecidedCostTheOthersNothing) {
  std::vector<Claim> claims(10, claim(Check::kSimilar, "c", "b", 10.0));
  claims.push_back(claim(Check::kAhead, "a", "b"));
  const std::vector<Decision> decisions = decide(claims, three(), 0, false);
  EXPECT_FALSE(decisions.front().adjusted_p);
  EXPECT_EQ(decisions.back().adjusted_p, decide(std::span(&claims.back(), 1), three(), 0, false).front().adjusted_p);
  EXPECT_GT(*decide(claims, three(), 0, true).back().adjusted_p, *decisions.back().adjusted_p);
}

TEST(Claims, AreCorrectedForTheirNumber) {
  const Comparison comparison = constant_arms({{20.0, 23.0, 26.0}, {12.0, 15.0, 18.0}, {11.0, 11.0, 11.1}});
  const Claim close = claim(Check::kAhead, "a", "b");  // p about 0.03
  EXPECT_EQ(verdict(close, comparison), Verdict::kHolds);
  const std::vector<Claim> many(10, close);
  for (const Decision& decision : decide(many, comparison, 0, true)) {
    EXPECT_EQ(decision.verdict, Verdict::kNotDecided);
    EXPECT_GT(*decision.adjusted_p, 0.2);
  }
}

TEST(Claims, UsedTrajectoriesCountWithEveryUpdate) {
  const Curve run{.x = {10.0, 20.0, 30.0, 35.0}, .y = {1.0, 2.0, 3.0, 4.0}};
  Configuration configuration;
  configuration.algo.window = 2;
  EXPECT_EQ(on_axis(run, Axis::kUsed, configuration).x, (std::vector<double>{10.0, 30.0, 50.0, 65.0}));
  configuration.algo.window = 1;
  EXPECT_EQ(on_axis(run, Axis::kUsed, configuration).x, run.x);
  EXPECT_EQ(on_axis(run, Axis::kCollected, configuration).x, run.x);
}

TEST(Claims, SayWhatWasMeasured) {
  const Claim ahead = claim(Check::kAhead, "a", "b");
  EXPECT_EQ(decide(std::span(&ahead, 1), three(), 0, true)[0].statistic, "area of a minus b: +10.0 (95 % 8.6 to 11.4)");
  Claim unknown = ahead;
  unknown.candidate = {"z"};
  expect_throw([&] { decide(std::span(&unknown, 1), three(), 0, true); }, "no arm 'z'");
}

}  // namespace
}  // namespace retropg::test
