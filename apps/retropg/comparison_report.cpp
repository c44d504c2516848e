#include "comparison_report.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "json_text.hpp"
#include "report/experiment_output.hpp"
#include "report/report_page.hpp"
#include "report/study_output.hpp"
#include "retropg/storage/file.hpp"
#include "say.hpp"
#include "terminal.hpp"
#include "wrap.hpp"

namespace retropg::app {
namespace {

std::string agreement_text(const Comparison& comparison) {
  const auto expected =
      std::ranges::count_if(comparison.arms, [](const ComparedArm& arm) { return arm.expected.has_value(); });
  if (expected == 0) return "";
  return fmt::format("{} of {} areas agree with the expected ones (95 % interval of the difference).\n",
                     std::ranges::count(comparison.arms, true, &ComparedArm::agrees), expected);
}

}  // namespace

ExperimentReport run_and_write(const ReadyExperiment& ready, const ResultsOptions& options) {
  ResultsFolder folder(results_plan(ready), ready.plan.name, options);
  ExperimentReport report{.folder = folder.path()};
  ExperimentResult result;
  report.status = run_watched(
      folder, [&](const RunProgress& progress) { result = run_experiment(ready, progress, &folder.runs()); });
  if (report.status != 0) return report;

  std::string problem;
  if (!write_experiment(result, folder.place(), folder.keep(), &problem)) {
    say("a figure was not drawn: " + problem);
    report.status = 1;
  }
  write_file(folder.place() / "report.html",
             report_page(result, {.folder = folder.place(), .command = options.command}));
  report.result = std::move(result);
  return report;
}

void print_report(const ExperimentReport& report) {
  const ExperimentResult& result = *report.result;
  const std::string text = fmt::format("{}\n{}{}\nReport: {}\n", format_experiment(result, output_width()),
                                       agreement_text(result.comparison()), cost_text(result.study),
                                       (report.folder / "report.html").string());
  show("{}", fitted(text, output_width()));
  std::fflush(stdout);  // the next experiment may take hours
}

int report_experiment(const ReadyExperiment& ready, const ResultsOptions& options, bool json) {
  const ExperimentReport report = run_and_write(ready, options);
  if (!report.result) return report.status;
  if (json) {
    show("{}\n", json_text(experiment_json(*report.result, report.folder)));
  } else {
    print_report(report);
  }
  return report.status;
}

}  // namespace retropg::app
