#include "report/experiment_output.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "json_text.hpp"
#include "report/comparison_output.hpp"
#include "report/csv.hpp"
#include "report/figure.hpp"
#include "report/sweep_output.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

const ComparedArm& arm_of(const Comparison& comparison, const std::string& label) {
  return *std::ranges::find(comparison.arms, label, &ComparedArm::label);
}

std::string p_text(const Decision& decision) {
  if (!decision.adjusted_p) return "";
  return *decision.adjusted_p < 1e-4 ? ", adjusted p < 0.0001"
                                     : fmt::format(", adjusted p = {:.4f}", *decision.adjusted_p);
}

std::string format_claims(const ExperimentResult& result) {
  if (result.claims.empty()) return "";
  std::string text = fmt::format(
      "\nClaims, decided at 5 % with Holm's correction over all of them; intervals are 95 % and not adjusted:\n");
  for (const DecidedClaim& one : result.claims) {
    text += fmt::format("  {:<13}  {}\n                 {}{}\n", name_of(one.decision.verdict), one.claim.text,
                        one.decision.statistic, p_text(one.decision));
    if (one.at_paper_runs && one.at_paper_runs->verdict != one.decision.verdict) {
      text +=
          fmt::format("                 with {} runs: {}, {}{}\n", one.at_paper_runs->runs,
                      name_of(one.at_paper_runs->verdict), one.at_paper_runs->statistic, p_text(*one.at_paper_runs));
    }
  }
  return text + "\n" + verdict_counts(result) + "\n";
}

std::string format_seconds(const ExperimentResult& result) {
  if (result.plan.seconds.empty()) return "";
  std::size_t width = 0;
  for (const ExpectedSeconds& one : result.plan.seconds) width = std::max(width, one.arm.size());
  std::string text =
      fmt::format("\n  {:<{}}  {:>8}  {:>8}  {:>8}\n", "seconds per run", width, "ours", "paper", "factor");
  for (const ExpectedSeconds& one : result.plan.seconds) {
    const double seconds = mean(arm_of(result.comparison(), one.arm).seconds);
    text += fmt::format("  {:<{}}  {:>8.3f}  {:>8.2f}  {:>8.0f}\n", one.arm, width, seconds, one.value,
                        one.value / seconds);
  }
  return text;
}

Json json(const Decision& decision) {
  return {{"verdict", name_of(decision.verdict)},
          {"statistic", decision.statistic},
          {"estimate", decision.estimate},
          {"interval", Json::array({decision.interval.low, decision.interval.high})},
          {"adjusted_p", decision.adjusted_p ? Json(*decision.adjusted_p) : Json()},
          {"runs", decision.runs}};
}

Json claims_json(const ExperimentResult& result) {
  Json claims = Json::array();
  for (const DecidedClaim& one : result.claims) {
    Json claim = {{"claim", one.claim.text}};
    claim.update(json(one.decision));
    if (one.at_paper_runs) claim["at_paper_runs"] = json(*one.at_paper_runs);
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::string claims_csv(const ExperimentResult& result) {
  std::string text = "claim,verdict,statistic,estimate,low,high,adjusted_p,runs,paper_runs,verdict_at_paper_runs\n";
  for (const DecidedClaim& one : result.claims) {
    const Decision& decision = one.decision;
    const Decision& fewer = one.at_paper_runs ? *one.at_paper_runs : decision;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_cell(one.claim.text), name_of(decision.verdict),
                        csv_cell(decision.statistic), csv_cell(decision.estimate), csv_cell(decision.interval.low),
                        csv_cell(decision.interval.high), csv_cell(decision.adjusted_p), decision.runs, fewer.runs,
                        name_of(fewer.verdict));
  }
  return text;
}

/// The label without the panel's title, so that panels share a legend: "RPG, window 2" in the panel "window 2" is
/// "RPG".
std::string short_label(std::string label, const std::string& title) {
  const std::size_t at = title.empty() ? std::string::npos : label.find(", " + title);
  if (at != std::string::npos) label.erase(at, title.size() + 2);
  return label;
}

bool draw(const FigurePlan& figure, const ExperimentResult& result, const std::filesystem::path& folder,
          std::string* problem) {
  std::vector<FigurePanel> panels;
  for (const PanelPlan& plan : figure.panels) {
    FigurePanel panel{.title = plan.title, .series = {}};
    for (const std::string& label : plan.arms) {
      const ComparedArm& arm = arm_of(result.comparison(), label);
      panel.series.push_back({.label = short_label(label, plan.title),
                              .method = arm.configuration.algo.name,
                              .band = band_on_axis(arm, figure.axis)});
    }
    panels.push_back(std::move(panel));
  }
  const ReturnRange range = return_range(make_environment(result.plan.comparison.base));
  return draw_figure(folder / figure_stem(figure), panels,
                     {.title = figure.title,
                      .x_label = figure.axis == Axis::kUsed ? "Used trajectories" : "Collected trajectories",
                      .y_label = "Mean return",
                      .lowest = range.smallest,
                      .highest = range.largest},
                     problem);
}

}  // namespace

std::string figure_stem(const FigurePlan& figure) {
  return figure.name.empty() ? "figure" : "figure-" + figure.name;
}

std::string part_of_paper(const ExperimentResult& result) {
  const Index runs = result.comparison().plan.seeds, paper = result.plan.paper_runs;
  const std::string part = result.plan.scale == 1.0
                               ? "All trajectories per run"
                               : fmt::format("{:.3g} % of the trajectories per run", 100.0 * result.plan.scale);
  return fmt::format("{}, {} runs ({} are planned).", part, runs, paper);
}

std::string verdict_counts(const ExperimentResult& result) {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count_if(result.claims,
                                 [&](const DecidedClaim& one) { return one.decision.verdict == verdict; });
  };
  return fmt::format("Of {} claims, {} hold, {} do not hold, {} are not decided at this scale.", result.claims.size(),
                     count(Verdict::kHolds), count(Verdict::kDoesNotHold), count(Verdict::kNotDecided));
}

std::string format_experiment(const ExperimentResult& result) {
  const std::string tried =
      result.study.pick_seeds == 0 ? "" : "\n" + format_sweep(result.study.tasks.front(), result.study);
  return format_comparison(result.comparison()) + tried + "\n" + part_of_paper(result) + "\n" + format_seconds(result) +
         format_claims(result);
}

Json experiment_json(const ExperimentResult& result, const std::filesystem::path& folder) {
  Json json = {{"experiment", result.plan.name},
               {"scale", result.plan.scale},
               {"paper_runs", result.plan.paper_runs},
               {"claims", claims_json(result)}};
  json.update(comparison_json(result.comparison(), folder));
  if (result.study.pick_seeds > 0) json["sweep"] = sweep_json(result.study.tasks.front(), result.study);
  return json;
}

bool write_experiment(const ExperimentResult& result, const std::filesystem::path& folder, std::string* problem) {
  write_comparison(result.comparison(), folder);
  if (result.study.pick_seeds > 0) write_file(folder / "sweep.csv", sweep_csv(result.study.tasks.front()));
  if (!result.claims.empty()) write_file(folder / "claims.csv", claims_csv(result));
  if (!result.plan.seconds.empty()) {
    std::string text = "arm,seconds,paper_seconds\n";
    for (const ExpectedSeconds& one : result.plan.seconds) {
      text += fmt::format("{},{:.6f},{}\n", csv_cell(one.arm), mean(arm_of(result.comparison(), one.arm).seconds),
                          one.value);
    }
    write_file(folder / "seconds.csv", text);
  }
  bool drawn = true;
  for (const FigurePlan& figure : result.plan.figures) drawn = draw(figure, result, folder, problem) && drawn;
  return drawn;
}

}  // namespace retropg::app
