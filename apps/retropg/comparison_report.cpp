#include "comparison_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "json_text.hpp"
#include "report/comparison_output.hpp"
#include "report/experiment_output.hpp"
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
  const bool drawn = draw_comparison(comparison, folder.path(), &problem);
  if (!drawn) say("the figure was not drawn: " + problem);
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

int report_experiment(const ReadyExperiment& ready, const ResultsOptions& options, bool json) {
  ResultsFolder folder(results_plan(ready.study), ready.plan.name, options);
  ExperimentResult result;
  const int status = run_watched(
      folder, [&](const RunProgress& progress) { result = run_experiment(ready, progress, &folder.runs()); });
  if (status != 0) return status;

  std::string problem;
  const bool drawn = write_experiment(result, folder.path(), &problem);
  if (!drawn) say("a figure was not drawn: " + problem);
  if (json) {
    fmt::print("{}\n", json_text(experiment_json(result, folder.path())));
  } else {
    fmt::print("{}\n", format_experiment(result));
    print_agreement(result.comparison());
    print_cost(result.comparison());
    fmt::print("Figures and data: {}\n", folder.path().string());
  }
  return drawn ? 0 : 1;
}

}  // namespace retropg::app
