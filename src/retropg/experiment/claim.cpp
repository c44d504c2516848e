#include "retropg/experiment/claim.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/statistics/hypothesis.hpp"

namespace retropg {
namespace {

/// A decision before the correction for several claims.
struct Tested {
  Decision decision;
  double p_holds = 1.0, p_fails = 1.0;  // one-sided
};

const ComparedArm& arm_of(const Comparison& comparison, const std::string& label) {
  const ComparedArm* found = comparison.find(label);
  require(found != nullptr, "there is no arm '" + label + "'");
  return *found;
}

double value_of(const Claim& claim, const ComparedArm& arm, std::size_t run) {
  if (claim.measure == Measure::kSeconds) return arm.seconds[run];
  const auto budget = static_cast<double>(claim.budget.value_or(arm.budget));
  const Curve curve = cut(on_axis(arm.runs[run], claim.axis, arm.configuration), budget);
  if (claim.measure == Measure::kArea) return area_under_curve(curve, budget);
  const RunScore score = retropg::score(curve, budget, claim.value);
  if (claim.measure == Measure::kEnd) return score.end;
  return claim.measure == Measure::kFall ? score.fall : score.reached.value_or(budget);
}

/// One value per run: the mean over the arms, whose runs share seeds.
std::vector<double> values(const Claim& claim, const Comparison& comparison, const std::vector<std::string>& labels,
                           Index runs) {
  std::vector<double> result(as_size(runs), 0.0);
  for (const std::string& label : labels) {
    const ComparedArm& arm = arm_of(comparison, label);
    for (std::size_t run = 0; run < result.size(); ++run) {
      result[run] += value_of(claim, arm, run) / static_cast<double>(labels.size());
    }
  }
  return result;
}

/// Of several arms, what their labels begin with: "the 5 arms TH-RPG, window 64".
std::string name_of(const std::vector<std::string>& labels) {
  if (labels.size() == 1) return labels.front();
  std::string common = labels.front();
  for (const std::string& label : labels) {
    common.resize(as_size(std::ranges::mismatch(common, label).in1 - common.begin()));
  }
  common = common.substr(0, common.rfind(", "));
  return fmt::format("the {} arms {}", labels.size(),
                     common.empty() ? fmt::format("{}", fmt::join(labels, "; ")) : common);
}

std::string name_of(const Claim& claim) {
  const std::string over = claim.axis == Axis::kUsed ? " over used trajectories" : "";
  switch (claim.measure) {
    case Measure::kArea: return "area" + over;
    case Measure::kEnd: return "final return" + over;
    case Measure::kFall: return "largest fall" + over;
    case Measure::kReached: return fmt::format("trajectories to {:g}", claim.value);
    case Measure::kSeconds: return "seconds";
  }
  return "";
}

/// Enough digits for a number of this size.
std::string number(double value, bool sign = false) {
  const int digits = std::abs(value) >= 1000.0 ? 0 : std::abs(value) >= 1.0 ? 1 : 3;
  return sign ? fmt::format("{:+.{}f}", value, digits) : fmt::format("{:.{}f}", value, digits);
}

std::string interval_text(const Interval& interval) {
  return fmt::format("(95 % {} to {})", number(interval.low), number(interval.high));
}

void describe(Tested& tested, const Contrast& contrast) {
  tested.decision.estimate = contrast.difference;
  tested.decision.interval = contrast_interval(contrast, kClaimLevel);
}

Tested test_difference(const Claim& claim, const Comparison& comparison, Index runs) {
  const Contrast contrast =
      welch_contrast(values(claim, comparison, claim.candidate, runs), values(claim, comparison, claim.reference, runs),
                     claim.check == Check::kAhead ? claim.factor : 1.0);
  Tested tested;
  describe(tested, contrast);
  std::string& text = tested.decision.statistic;
  text = fmt::format("{} of {} minus {}{}: {} {}", name_of(claim), name_of(claim.candidate),
                     claim.factor == 1.0 ? "" : fmt::format("{:g} times ", claim.factor), name_of(claim.reference),
                     number(contrast.difference, true), interval_text(tested.decision.interval));
  if (claim.check != Check::kAhead) text += fmt::format(", margin {:g}", claim.margin);
  if (claim.check == Check::kSimilar) {
    tested.p_holds = std::max(p_above(contrast, -claim.margin), p_below(contrast, claim.margin));
    tested.p_fails = std::min(p_below(contrast, -claim.margin), p_above(contrast, claim.margin));
  } else {
    // "Fewer trajectories to a return" is to be ahead, too.
    const bool less = claim.measure == Measure::kReached;
    tested.p_holds = less ? p_below(contrast, claim.margin) : p_above(contrast, -claim.margin);
    tested.p_fails = less ? p_above(contrast, claim.margin) : p_below(contrast, -claim.margin);
  }
  return tested;
}

Tested test_level(const Claim& claim, const Comparison& comparison, Index runs) {
  const std::vector<double> candidate = values(claim, comparison, claim.candidate, runs);
  Tested tested;
  const Contrast mean_itself = mean_contrast(candidate, 0.0);
  describe(tested, mean_itself);
  tested.decision.statistic = fmt::format("{} of {}: {} {}, to be {} {:g}", name_of(claim), name_of(claim.candidate),
                                          number(mean_itself.difference), interval_text(tested.decision.interval),
                                          claim.check == Check::kBelow ? "below" : "above", claim.value);
  tested.p_holds = p_below(mean_itself, claim.value);
  tested.p_fails = p_above(mean_itself, claim.value);
  if (claim.check == Check::kAbove) std::swap(tested.p_holds, tested.p_fails);
  return tested;
}

Tested test_more_often(const Claim& claim, const Comparison& comparison, Index runs) {
  const auto count = [&](const std::vector<std::string>& labels) {
    Index above = 0;
    for (const std::string& label : labels) {
      above += std::ranges::count_if(values(claim, comparison, {label}, runs),
                                     [&](double value) { return value > claim.value; });
    }
    return above;
  };
  const Index a = count(claim.candidate), b = count(claim.reference);
  const Index a_runs = runs * std::ssize(claim.candidate), b_runs = runs * std::ssize(claim.reference);
  Tested tested;
  tested.p_holds = fisher_p(a, a_runs, b, b_runs);
  tested.p_fails = fisher_p(b, b_runs, a, a_runs);
  tested.decision.estimate =
      static_cast<double>(a) / static_cast<double>(a_runs) - static_cast<double>(b) / static_cast<double>(b_runs);
  tested.decision.interval = {-1.0, 1.0};  // Fisher's test has none
  tested.decision.statistic =
      fmt::format("runs with {} above {:g}: {} of {} of {}, {} of {} of {}", name_of(claim), claim.value, a, a_runs,
                  name_of(claim.candidate), b, b_runs, name_of(claim.reference));
  return tested;
}

Decision decide_ratio(const Claim& claim, const Comparison& comparison, Index runs, bool full_scale) {
  const auto first = [&](const std::string& label) {
    return std::span(arm_of(comparison, label).runs).first(as_size(runs));
  };
  const Speedup speedup = speedup_with_intervals(first(claim.reference.front()), first(claim.candidate.front()),
                                                 claim.highest_ratio, comparison.plan.first_seed, kSpeedupResamples);
  const bool overlap = speedup.paper.low <= claim.paper_interval.high && claim.paper_interval.low <= speedup.paper.high;
  // Curves with too few runs or points give an interval that is beside its own ratio.
  const bool sound = speedup.paper.low <= speedup.ratio && speedup.ratio <= speedup.paper.high;
  return {.verdict = !full_scale || !sound ? Verdict::kNotDecided
                     : overlap             ? Verdict::kHolds
                                           : Verdict::kDoesNotHold,
          .runs = runs,
          .estimate = speedup.ratio,
          .interval = speedup.paper,
          .adjusted_p = {},
          .statistic = fmt::format("ratio {:.2f} (95 % {:.2f} to {:.2f}; bootstrap {:.2f} to {:.2f}), paper {:.2f} "
                                   "({:.2f} to {:.2f})",
                                   speedup.ratio, speedup.paper.low, speedup.paper.high, speedup.bootstrap.low,
                                   speedup.bootstrap.high, claim.paper_ratio, claim.paper_interval.low,
                                   claim.paper_interval.high)};
}

Tested test(const Claim& claim, const Comparison& comparison, Index runs) {
  switch (claim.check) {
    case Check::kBelow:
    case Check::kAbove: return test_level(claim, comparison, runs);
    case Check::kMoreOften: return test_more_often(claim, comparison, runs);
    default: return test_difference(claim, comparison, runs);
  }
}

}  // namespace

Curve on_axis(const Curve& run, Axis axis, const Configuration& configuration) {
  return axis == Axis::kCollected ? run : against_used(run, configuration.algo.window);
}

bool needs_full_scale(const Claim& claim) {
  return claim.full_scale || claim.check == Check::kSimilar || claim.check == Check::kNotBehind ||
         claim.check == Check::kRatio;
}

std::string name_of(Verdict verdict) {
  return verdict == Verdict::kHolds         ? "holds"
         : verdict == Verdict::kDoesNotHold ? "does not hold"
                                            : "not decided at this scale";
}

std::vector<Decision> decide(std::span<const Claim> claims, const Comparison& comparison, Index runs, bool full_scale) {
  const Index all = std::ssize(comparison.arms.front().runs);
  const Index count = runs == 0 ? all : std::min(runs, all);
  std::vector<Decision> decisions;
  std::vector<std::size_t> tested;
  std::vector<double> p;
  std::vector<bool> in_favor;
  for (const Claim& claim : claims) {
    if (claim.check == Check::kRatio) {
      decisions.push_back(decide_ratio(claim, comparison, count, full_scale));
      continue;
    }
    Tested one = test(claim, comparison, count);
    one.decision.runs = count;
    if (needs_full_scale(claim) && !full_scale) {  // no verdict, so it is none of the tests that are corrected for
      decisions.push_back(std::move(one.decision));
      continue;
    }
    tested.push_back(decisions.size());
    in_favor.push_back(one.p_holds < one.p_fails);
    p.push_back(std::min(1.0, 2.0 * std::min(one.p_holds, one.p_fails)));
    decisions.push_back(std::move(one.decision));
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    Decision& decision = decisions[tested[i]];
    decision.adjusted_p = adjusted[i];
    if (adjusted[i] > 1.0 - kClaimLevel) continue;
    decision.verdict = in_favor[i] ? Verdict::kHolds : Verdict::kDoesNotHold;
  }
  return decisions;
}

}  // namespace retropg
