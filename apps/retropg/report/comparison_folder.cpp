#include <iterator>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "json_text.hpp"
#include "report/comparison_output.hpp"
#include "report/csv.hpp"
#include "report/figure.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

std::uint64_t seed_of(const ComparisonPlan& plan, std::size_t run) {
  return plan.first_seed + run;
}

std::string runs_csv(const Comparison& comparison) {
  std::string text = "arm,seed,trajectories,return_mean\n";
  const auto out = std::back_inserter(text);
  for (const ComparedArm& arm : comparison.arms) {
    for (std::size_t run = 0; run < arm.runs.size(); ++run) {
      const std::string start = fmt::format("{},{}", csv_cell(arm.label), seed_of(comparison.plan, run));
      const Curve& curve = arm.runs[run];
      for (std::size_t k = 0; k < curve.x.size(); ++k) {
        fmt::format_to(out, FMT_COMPILE("{},{},{}\n"), start, curve.x[k], curve.y[k]);
      }
    }
  }
  return text;
}

std::string scores_csv(const Comparison& comparison) {
  std::string text = "arm,seed,area,start,end,improvement,fall,reached\n";
  for (const ComparedArm& arm : comparison.arms) {
    for (std::size_t run = 0; run < arm.scores.size(); ++run) {
      const RunScore& score = arm.scores[run];
      text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_cell(arm.label), seed_of(comparison.plan, run), score.area,
                          score.start, score.end, score.end - score.start, score.fall, csv_cell(score.reached));
    }
  }
  return text;
}

std::string timing_csv(const Comparison& comparison) {
  std::string text = "arm,seed,seconds\n";
  for (const ComparedArm& arm : comparison.arms) {
    for (std::size_t run = 0; run < arm.seconds.size(); ++run) {
      text += fmt::format("{},{},{:.6f}\n", csv_cell(arm.label), seed_of(comparison.plan, run), arm.seconds[run]);
    }
  }
  return text;
}

std::string curves_csv(const Comparison& comparison) {
  std::string text = "arm,trajectories,mean,standard_error,normal_half,t_half\n";
  const double normal = normal_quantile(0.975);
  const double t = student_t_quantile(0.975, static_cast<double>(comparison.plan.seeds - 1));
  for (const ComparedArm& arm : comparison.arms) {
    for (std::size_t k = 0; k < arm.curve.x.size(); ++k) {
      const double error = arm.curve.standard_error[k];
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", csv_cell(arm.label), arm.curve.x[k],
                     arm.curve.mean[k], error, normal * error, t * error);
    }
  }
  return text;
}

std::string summary_csv(const Comparison& comparison) {
  std::string text = "arm";
  for (const char* name : {"area", "start", "end", "improvement", "fall"}) {
    text += fmt::format(",{0},{0}_standard_error,{0}_normal_half,{0}_t_half", name);
  }
  text +=
      ",improves,worst_fall,iqm,iqm_low,iqm_high,median_reached,never_reached,curve_reached,steps,expected_area,"
      "agrees\n";
  for (const ComparedArm& arm : comparison.arms) {
    text += csv_cell(arm.label);
    for (const MeanEstimate& e : {arm.area, arm.start, arm.end, arm.improvement, arm.fall}) {
      text += fmt::format(",{},{},{},{}", e.mean, e.standard_error, e.normal, e.student_t);
    }
    text += fmt::format(",{},{},{},{},{},{},{},{},{},{},{}\n", arm.improves, arm.worst_fall, arm.interquartile_area,
                        arm.interquartile_interval.low, arm.interquartile_interval.high, csv_cell(arm.median_reached),
                        comparison.plan.threshold ? std::to_string(arm.never_reached) : "", csv_cell(arm.curve_reached),
                        arm.steps, csv_cell(arm.expected ? std::optional(arm.expected->mean) : std::nullopt),
                        arm.expected ? (arm.agrees ? "true" : "false") : "");
  }
  return text;
}

std::string pairs_csv(const Comparison& comparison) {
  std::string text =
      "candidate,reference,difference,welch_low,welch_high,paired_low,paired_high,probability,probability_low,"
      "probability_high,speedup,speedup_low,speedup_high,speedup_bootstrap_low,speedup_bootstrap_high\n";
  for (const ArmPair& pair : comparison.pairs) {
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(comparison.arms[pair.candidate].label),
        csv_cell(comparison.arms[pair.reference].label), pair.difference, pair.welch.low, pair.welch.high,
        pair.paired.low, pair.paired.high, pair.probability, pair.probability_interval.low,
        pair.probability_interval.high, csv_cell(pair.speedup.ratio), csv_cell(pair.speedup.paper.low),
        csv_cell(pair.speedup.paper.high), csv_cell(pair.speedup.bootstrap.low), csv_cell(pair.speedup.bootstrap.high));
  }
  return text;
}

}  // namespace

void write_comparison(const Comparison& comparison, const Place& folder, const Keep& keep) {
  if (!keep.curves) write_file(folder / "runs.csv", runs_csv(comparison));
  write_file(folder / "scores.csv", scores_csv(comparison));
  write_file(folder / "curves.csv", curves_csv(comparison));
  write_file(folder / "summary.csv", summary_csv(comparison));
  write_file(folder / "pairs.csv", pairs_csv(comparison));
  write_file(folder / "summary.json", json_text(comparison_json(comparison)) + "\n");
  write_file(folder / "timing.csv", timing_csv(comparison));
}

bool draw_comparison(const Comparison& comparison, const Place& folder, std::string* problem) {
  FigurePanel panel;
  for (const std::size_t i : comparison.order()) {
    const ComparedArm& arm = comparison.arms[i];
    panel.series.push_back({.label = arm.label, .method = arm.configuration.algo.name, .band = arm.curve});
  }
  const ReturnRange range = return_range(make_environment(comparison.arms.front().configuration));
  return draw_figure(folder / "figure", {panel},
                     {.title = comparison.plan.title,
                      .x_label = "Collected trajectories",
                      .y_label = "Mean return",
                      .lowest = range.smallest,
                      .highest = range.largest},
                     problem);
}

}  // namespace retropg::app
