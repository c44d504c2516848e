#include "report/arm_columns.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "retropg/core/numerics.hpp"

namespace retropg::app {
namespace {

/// At either end of the search range the value is only a bound.
std::string ratio_text(double ratio) {
  const char* sign = ratio <= kLowestSpeedup ? "<=" : ratio >= kHighestSpeedup ? ">=" : "";
  return fmt::format("{}{:.2f}", sign, ratio);
}

std::string speedup_text(const Speedup& speedup) {
  return fmt::format("{} ({:.2f} to {:.2f})", ratio_text(speedup.ratio), speedup.bootstrap.low, speedup.bootstrap.high);
}

std::string estimate_text(const MeanEstimate& estimate) {
  return fmt::format("{:.1f} +- {:.1f}", estimate.mean, estimate.student_t);
}

/// Over which running means are taken.
double running_trajectories(const Comparison& comparison) {
  return std::min(kRunningTrajectories, static_cast<double>(comparison.arms.front().budget));
}

}  // namespace

std::vector<Column> arm_columns(const Comparison& comparison) {
  const std::vector<std::size_t> order = comparison.order();
  std::vector<Column> result;
  const auto add = [&](std::string title, auto cell) {
    Column column{std::move(title), {}};
    for (const std::size_t i : order) column.cells.push_back(cell(comparison.arms[i], i));
    result.push_back(std::move(column));
  };
  add("algorithm", [](const ComparedArm& arm, std::size_t) { return arm.label; });
  add("area", [](const ComparedArm& arm, std::size_t) { return estimate_text(arm.area); });
  if (std::ranges::any_of(comparison.arms, [](const ComparedArm& arm) { return arm.expected.has_value(); })) {
    add("expected", [](const ComparedArm& arm, std::size_t) {
      return arm.expected ? fmt::format("{:.1f} {}", arm.expected->mean, arm.agrees ? "agrees" : "DIFFERS") : "";
    });
  }
  add("IQM of area", [](const ComparedArm& arm, std::size_t) {
    return fmt::format("{:.1f} ({:.1f} to {:.1f})", arm.interquartile_area, arm.interquartile_interval.low,
                       arm.interquartile_interval.high);
  });
  add("improvement", [](const ComparedArm& arm, std::size_t) {
    return estimate_text(arm.improvement) + (arm.improves ? " yes" : " NO");
  });
  if (!comparison.has_one_reference()) {
    add("compared with", [&](const ComparedArm& arm, std::size_t) { return comparison.arms[arm.reference].label; });
  }
  add("ahead by (Welch)", [&](const ComparedArm& arm, std::size_t i) {
    if (i == arm.reference) return std::string("reference");
    const ArmPair& pair = comparison.pair(i, arm.reference);
    return fmt::format("{:+.1f} ({:.1f} to {:.1f})", pair.difference, pair.welch.low, pair.welch.high);
  });
  add("P(better)", [&](const ComparedArm& arm, std::size_t i) {
    if (i == arm.reference) return std::string("reference");
    const ArmPair& pair = comparison.pair(i, arm.reference);
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", pair.probability, pair.probability_interval.low,
                       pair.probability_interval.high);
  });
  add("speed-up", [&](const ComparedArm& arm, std::size_t i) {
    return i == arm.reference ? std::string("reference") : speedup_text(comparison.pair(i, arm.reference).speedup);
  });
  if (comparison.plan.threshold) {
    add(fmt::format("to {:g}", *comparison.plan.threshold), [](const ComparedArm& arm, std::size_t) {
      const std::string median = arm.median_reached ? fmt::format("{:.0f}", *arm.median_reached) : "-";
      return arm.never_reached > 0 ? fmt::format("{} ({} never)", median, arm.never_reached) : median;
    });
    add("curve", [](const ComparedArm& arm, std::size_t) {
      return arm.curve_reached ? fmt::format("{:.0f}", *arm.curve_reached) : "-";
    });
  }
  add("fall", [](const ComparedArm& arm, std::size_t) { return fmt::format("{:.1f}", arm.fall.mean); });
  add("s/run", [](const ComparedArm& arm, std::size_t) { return fmt::format("{:.3f}", mean(arm.seconds)); });
  return result;
}

std::vector<ArmColumnMeaning> arm_column_meanings(const Comparison& comparison) {
  const std::string reference =
      comparison.has_one_reference() ? comparison.arms[comparison.arms.front().reference].label : "the reference";
  const double running = running_trajectories(comparison);
  std::vector<ArmColumnMeaning> meanings = {
      {"area", "mean return over the budget"},
      {"IQM of area", "interquartile mean with a 95 % stratified bootstrap interval (2000 resamples)"},
      {"improvement",
       "mean return over the last tenth of the budget minus that of the first batch; yes if its "
       "interval is above zero, else NO"},
      {"ahead by", fmt::format("difference in area from {} with Welch's 95 % interval", reference)},
      {"P(better)",
       fmt::format("probability that a run has a larger area than a run of {}, ties count half; its 95 % bootstrap "
                   "interval is too narrow near 0 and 1 and with few seeds",
                   reference)},
      {"speed-up",
       fmt::format("how many times as many trajectories {} needs, with a 95 % bootstrap interval over seeds "
                   "(200 resamples)",
                   reference)}};
  if (const std::optional<double> threshold = comparison.plan.threshold) {
    meanings.push_back({fmt::format("to {:g}", *threshold),
                        fmt::format("trajectories until the mean of the last {:.0f} first reaches {:g}, median over "
                                    "seeds",
                                    running, *threshold)});
    meanings.push_back({"curve", "trajectories until the mean curve first reaches it"});
  }
  meanings.push_back(
      {"fall", fmt::format("largest drop of the mean of the last {:.0f} trajectories below its maximum, averaged over "
                           "seeds",
                           running)});
  meanings.push_back({"s/run", "mean seconds per run"});
  return meanings;
}

std::string arm_columns_note(const Comparison& comparison) {
  const ComparisonPlan& plan = comparison.plan;
  return fmt::format(
      "n = {} seeds ({} to {}). +- is the half-width of a 95 % Student t interval of the mean over seeds.", plan.seeds,
      plan.first_seed, plan.first_seed + static_cast<std::uint64_t>(plan.seeds) - 1);
}

}  // namespace retropg::app
