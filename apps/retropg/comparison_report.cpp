#include "comparison_report.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "json_text.hpp"
#include "report/comparison_output.hpp"
#include "report/experiment_output.hpp"
#include "report/latex.hpp"
#include "report/report_page.hpp"
#include "retropg/storage/file.hpp"
#include "say.hpp"

namespace retropg::app {
namespace {

void print_agreement(const Comparison& comparison) {
  const auto expected =
      std::ranges::count_if(comparison.arms, [](const ComparedArm& arm) { return arm.expected.has_value(); });
  if (expected == 0) return;
  fmt::print("{} of {} areas agree with the expected ones (95 % interval of the difference).\n",
             std::ranges::count(comparison.arms, true, &ComparedArm::agrees), expected);
}

void print_cost(const Comparison& comparison) {
  Index steps = 0;
  for (const ComparedArm& arm : comparison.arms) steps += arm.steps;
  fmt::print("{} runs, {:.1f} million steps in {:.2f} s on {} threads.\n",
             std::ssize(comparison.arms) * comparison.plan.seeds, static_cast<double>(steps) / 1e6, comparison.seconds,
             comparison.plan.threads);
}

}  // namespace

int report_comparison(const ReadyComparison& ready, const std::string& experiment, const ResultsOptions& options,
                      bool json) {
  ResultsFolder folder(results_plan(ready), experiment, options);
  for (const std::string& refusal : ready.refusals) say("left out " + refusal);
  Comparison comparison;
  const int status = run_watched(
      folder, [&](const RunProgress& progress) { comparison = run_comparison(ready, progress, &folder.runs()); });
  if (status != 0) return status;

  std::string problem;
  write_comparison(comparison, folder.path());
  write_file(folder.path() / "table.tex", latex_tables(comparison, {}));
  const bool drawn = draw_comparison(comparison, folder.path(), &problem);
  if (!drawn) say("the figure was not drawn: " + problem);
  write_file(folder.path() / "report.html",
             report_page(comparison, {.folder = folder.path(), .command = options.command}));
  if (json) {
    fmt::print("{}\n", json_text(comparison_json(comparison, folder.path())));
  } else {
    fmt::print("{}\n", format_comparison(comparison));
    print_cost(comparison);
    fmt::print("{}: {}\n", drawn ? "Figure and data" : "Data",
               (folder.path() / (drawn ? "figure.png" : "summary.csv")).string());
  }
  return drawn ? 0 : 1;
}

ExperimentReport run_and_write(const ReadyExperiment& ready, const ResultsOptions& options) {
  ResultsFolder folder(results_plan(ready), ready.plan.name, options);
  ExperimentReport report{.folder = folder.path()};
  ExperimentResult result;
  report.status = run_watched(
      folder, [&](const RunProgress& progress) { result = run_experiment(ready, progress, &folder.runs()); });
  if (report.status != 0) return report;

  std::string problem;
  if (!write_experiment(result, folder.path(), &problem)) {
    say("a figure was not drawn: " + problem);
    report.status = 1;
  }
  write_file(folder.path() / "report.html", report_page(result, {.folder = folder.path(), .command = options.command}));
  report.result = std::move(result);
  return report;
}

void print_report(const ExperimentReport& report) {
  fmt::print("{}\n", format_experiment(*report.result));
  print_agreement(report.result->comparison());
  print_cost(report.result->comparison());
  fmt::print("Report: {}\n", (report.folder / "report.html").string());
  std::fflush(stdout);  // the next experiment may take hours
}

int report_experiment(const ReadyExperiment& ready, const ResultsOptions& options, bool json) {
  const ExperimentReport report = run_and_write(ready, options);
  if (!report.result) return report.status;
  if (json) {
    fmt::print("{}\n", json_text(experiment_json(*report.result, report.folder)));
  } else {
    print_report(report);
  }
  return report.status;
}

}  // namespace retropg::app
