#include "report/experiment_output.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "json_text.hpp"
#include "report/claim_text.hpp"
#include "report/comparison_output.hpp"
#include "report/csv.hpp"
#include "report/figure.hpp"
#include "report/latex.hpp"
#include "report/panel_labels.hpp"
#include "report/sweep_output.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

std::string p_text(const Decision& decision) {
  if (!decision.adjusted_p) return "";
  const std::string text = adjusted_p_text(decision);
  return (text.starts_with('<') ? ", adjusted p " : ", adjusted p = ") + text;
}

std::string format_claims(const ExperimentResult& result) {
  if (result.claims.empty()) return "";
  std::string text = "\nClaims. " + how_decided(result.claims) + "\n";
  std::size_t width = 0;
  for (const DecidedClaim& one : result.claims) width = std::max(width, name_of(one.decision.verdict).size());
  for (const DecidedClaim& one : result.claims) {
    text += fmt::format("  {:<{}}  {}\n  {:<{}}  {}{}\n", name_of(one.decision.verdict), width, one.claim.text, "",
                        width, one.decision.statistic, p_text(one.decision));
    if (one.at_paper_runs && one.at_paper_runs->verdict != one.decision.verdict) {
      text +=
          fmt::format("  {:<{}}  with {} runs: {}, {}{}\n", "", width, one.at_paper_runs->runs,
                      name_of(one.at_paper_runs->verdict), one.at_paper_runs->statistic, p_text(*one.at_paper_runs));
    }
  }
  return text + "\n" + verdict_counts(result.claims) + "\n";
}

std::string format_seconds(const ExperimentResult& result) {
  if (result.plan.seconds.empty()) return "";
  std::size_t width = 0;
  for (const ExpectedSeconds& one : result.plan.seconds) width = std::max(width, one.arm.size());
  std::string text =
      fmt::format("\n  {:<{}}  {:>8}  {:>8}  {:>8}\n", "seconds per run", width, "ours", "paper", "factor");
  for (const RunTime& one : run_times(result)) {
    text += fmt::format("  {:<{}}  {:>8.3f}  {:>8.2f}  {:>8}\n", one.arm, width, one.seconds, one.paper,
                        one.factor ? fmt::format("{:.0f}", *one.factor) : "-");
  }
  return text;
}

/// Fisher's test has no interval.
bool has_interval(const Claim& claim) {
  return claim.check != Check::kMoreOften;
}

Json json(const Claim& claim, const Decision& decision) {
  return {{"verdict", name_of(decision.verdict)},
          {"statistic", decision.statistic},
          {"estimate", decision.estimate},
          {"interval", has_interval(claim) ? Json::array({decision.interval.low, decision.interval.high}) : Json()},
          {"adjusted_p", decision.adjusted_p ? Json(*decision.adjusted_p) : Json()},
          {"runs", decision.runs}};
}

Json claims_json(const ExperimentResult& result) {
  Json claims = Json::array();
  for (const DecidedClaim& one : result.claims) {
    Json claim = {{"claim", one.claim.text}};
    claim.update(json(one.claim, one.decision));
    if (one.at_paper_runs) claim["at_paper_runs"] = json(one.claim, *one.at_paper_runs);
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::string claims_csv(const ExperimentResult& result) {
  std::string text = "claim,verdict,statistic,estimate,low,high,adjusted_p,runs,paper_runs,verdict_at_paper_runs\n";
  for (const DecidedClaim& one : result.claims) {
    const Decision& decision = one.decision;
    const Decision& fewer = one.at_paper_runs ? *one.at_paper_runs : decision;
    const auto end = [&](double value) { return has_interval(one.claim) ? csv_cell(value) : ""; };
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_cell(one.claim.text), name_of(decision.verdict),
                        csv_cell(decision.statistic), csv_cell(decision.estimate), end(decision.interval.low),
                        end(decision.interval.high), csv_cell(decision.adjusted_p), decision.runs, fewer.runs,
                        name_of(fewer.verdict));
  }
  return text;
}

std::string note_of(const PanelLabels& labels) {
  if (labels.left_out.empty()) return "";
  return fmt::format("Labels leave out {}, which {} with the panel.", fmt::join(labels.left_out, " and "),
                     labels.left_out.size() == 1 ? "changes" : "change");
}

bool draw(const FigurePlan& figure, const ExperimentResult& result, const Place& folder, std::string* problem) {
  const PanelLabels labels = panel_labels(figure.panels);
  std::vector<FigurePanel> panels;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    FigurePanel panel{.title = figure.panels[p].title, .series = {}};
    for (std::size_t i = 0; i < figure.panels[p].arms.size(); ++i) {
      const ComparedArm& arm = *result.comparison().find(figure.panels[p].arms[i]);
      panel.series.push_back({.label = labels.labels[p][i],
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
                      .note = note_of(labels),
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

std::vector<RunTime> run_times(const ExperimentResult& result) {
  std::vector<RunTime> times;
  for (const ExpectedSeconds& one : result.plan.seconds) {
    const double seconds = mean(result.comparison().find(one.arm)->seconds);
    times.push_back({.arm = one.arm, .seconds = seconds, .paper = one.value, .factor = {}});
    if (result.plan.scale == 1.0) times.back().factor = one.value / seconds;
  }
  return times;
}

std::string format_experiment(const ExperimentResult& result, std::size_t width) {
  const std::string tried =
      result.study.pick_seeds == 0 ? "" : "\n" + format_sweep(result.study.tasks.front(), result.study, width);
  return format_comparison(result.comparison(), width) + tried + "\n" + part_of_paper(result) + "\n" +
         format_seconds(result) + format_claims(result);
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

bool write_experiment(const ExperimentResult& result, const Place& folder, const Keep& keep, std::string* problem) {
  write_comparison(result.comparison(), folder, keep);
  if (result.study.pick_seeds > 0) write_file(folder / "sweep.csv", sweep_csv(result.study.tasks.front()));
  write_file(folder / "table.tex", latex_tables(result.comparison(), result.claims));
  if (!result.claims.empty()) write_file(folder / "claims.csv", claims_csv(result));
  if (!result.plan.seconds.empty()) {
    std::string text = "arm,seconds,paper_seconds\n";
    for (const RunTime& one : run_times(result)) {
      text += fmt::format("{},{:.6f},{}\n", csv_cell(one.arm), one.seconds, one.paper);
    }
    write_file(folder / "seconds.csv", text);
  }
  bool drawn = true;
  for (const FigurePlan& figure : result.plan.figures) drawn = draw(figure, result, folder, problem) && drawn;
  return drawn;
}

}  // namespace retropg::app
