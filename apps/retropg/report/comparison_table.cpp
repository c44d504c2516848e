#include <algorithm>

#include <fmt/format.h>

#include "retropg/core/numerics.hpp"
#include "report/comparison_output.hpp"

namespace retropg::app {
namespace {

/// A value at an end of the search says only that the speed-up is not within it.
std::string ratio_text(double ratio) {
  const char* sign = ratio <= kLowestSpeedup ? "<=" : ratio >= kHighestSpeedup ? ">=" : "";
  return fmt::format("{}{:.2f}", sign, ratio);
}

std::string speedup_text(const Speedup& speedup) {
  return fmt::format("{} ({:.2f}-{:.2f})", ratio_text(speedup.ratio), speedup.bootstrap.low, speedup.bootstrap.high);
}

std::string estimate_text(const MeanEstimate& estimate) {
  return fmt::format("{:.1f} +- {:.1f}", estimate.mean, estimate.student_t);
}

struct Column {
  std::string title;
  std::vector<std::string> cells;
};

std::vector<Column> columns(const Comparison& comparison, const std::vector<std::size_t>& order) {
  std::vector<Column> result;
  const auto add = [&](std::string title, auto cell) {
    Column column{std::move(title), {}};
    for (const std::size_t i : order) column.cells.push_back(cell(comparison.arms[i], i));
    result.push_back(std::move(column));
  };
  const std::size_t reference = comparison.reference;
  add("algorithm", [](const ComparedArm& arm, std::size_t) { return arm.label; });
  add("area", [](const ComparedArm& arm, std::size_t) { return estimate_text(arm.area); });
  if (std::ranges::any_of(comparison.arms, [](const ComparedArm& arm) { return arm.expected_area.has_value(); })) {
    add("expected", [](const ComparedArm& arm, std::size_t) {
      return arm.expected_area ? fmt::format("{:.1f} {}", *arm.expected_area, arm.agrees ? "agrees" : "DIFFERS") : "";
    });
  }
  add("IQM of area", [](const ComparedArm& arm, std::size_t) {
    return fmt::format("{:.1f} ({:.1f}-{:.1f})", arm.interquartile_area, arm.interquartile_interval.low,
                       arm.interquartile_interval.high);
  });
  add("improvement", [](const ComparedArm& arm, std::size_t) {
    return estimate_text(arm.improvement) + (arm.improves ? " yes" : " NO");
  });
  add("ahead by (Welch)", [&](const ComparedArm&, std::size_t i) {
    if (i == reference) return std::string("reference");
    const ArmPair& pair = comparison.pair(i, reference);
    return fmt::format("{:+.1f} ({:.1f} to {:.1f})", pair.difference, pair.welch.low, pair.welch.high);
  });
  add("P(better)", [&](const ComparedArm&, std::size_t i) {
    if (i == reference) return std::string("reference");
    const ArmPair& pair = comparison.pair(i, reference);
    return fmt::format("{:.2f} ({:.2f}-{:.2f})", pair.probability, pair.probability_interval.low,
                       pair.probability_interval.high);
  });
  add("speed-up", [&](const ComparedArm&, std::size_t i) {
    return i == reference ? std::string("reference") : speedup_text(comparison.pair(i, reference).speedup);
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
  add("s a run", [](const ComparedArm& arm, std::size_t) { return fmt::format("{:.3f}", mean(arm.seconds)); });
  return result;
}

std::string legend(const Comparison& comparison) {
  const ComparisonPlan& plan = comparison.plan;
  const std::string& reference = comparison.arms[comparison.reference].label;
  std::string text = fmt::format(
      "\nn = {} seeds ({} to {}). area: mean return over the budget; improvement: mean return over the last tenth of\n"
      "the budget minus that of the first batch; +- is a 95 % Student t interval of the mean over seeds, yes or NO "
      "says\n"
      "whether that of the improvement is above zero (95 % normal intervals are in summary.csv). IQM: interquartile "
      "mean\n"
      "with a 95 % stratified bootstrap interval (2000 resamples). ahead by: difference in area from {} with Welch's\n"
      "95 % interval. P(better): probability that a run has a larger area than a run of it, ties half, with a 95 % "
      "bootstrap\n"
      "interval, which is too narrow near 0 and 1 and with few seeds. speed-up: how many times as many trajectories "
      "{}\n"
      "needs, with a 95 % bootstrap interval over seeds (200 resamples; the paper's interval is in pairs.csv). fall: "
      "the\n"
      "most the mean of the last {:.0f} trajectories fell below its maximum, mean over seeds.\n",
      plan.seeds, plan.first_seed, plan.first_seed + static_cast<std::uint64_t>(plan.seeds) - 1, reference, reference,
      std::min(kRunningTrajectories, static_cast<double>(plan.budget)));
  if (plan.threshold) {
    text += fmt::format(
        "to {:g}: trajectories until the mean of the last {:.0f} first is at least that, median over seeds; curve: "
        "until the\nmean curve is.\n",
        *plan.threshold, std::min(kRunningTrajectories, static_cast<double>(plan.budget)));
  }
  return text;
}

}  // namespace

std::string format_comparison(const Comparison& comparison) {
  const std::vector<std::size_t> order = comparison.by_area();
  std::vector<std::string> lines(order.size() + 1);
  for (const Column& column : columns(comparison, order)) {
    std::size_t width = column.title.size();
    for (const std::string& cell : column.cells) width = std::max(width, cell.size());
    lines[0] += fmt::format("  {:<{}}", column.title, width);
    for (std::size_t row = 0; row < column.cells.size(); ++row) {
      lines[row + 1] += fmt::format("  {:<{}}", column.cells[row], width);
    }
  }
  std::string text =
      fmt::format("{}\n{} collected trajectories a run\n\n", comparison.plan.title, comparison.plan.budget);
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + legend(comparison);
}

}  // namespace retropg::app
