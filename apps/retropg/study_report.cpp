#include "study_report.hpp"

#include <fmt/format.h>

#include "json_text.hpp"
#include "report/report_page.hpp"
#include "report/study_output.hpp"
#include "retropg/storage/file.hpp"
#include "say.hpp"
#include "terminal.hpp"
#include "wrap.hpp"

namespace retropg::app {
namespace {

void say_refusals(const ReadyStudy& ready) {
  for (const ReadySweep& task : ready.tasks) {
    const std::string place = ready.tasks.size() > 1 ? " on " + task.report.plan.base.env.id : "";
    for (const std::string& refusal : task.report.refusals) say(fmt::format("left out{} {}", place, refusal));
  }
}

}  // namespace

int report_study(const ReadyStudy& ready, const ResultsOptions& options, const std::vector<std::string>& notes,
                 bool json) {
  ResultsFolder folder(results_plan(ready), "compare", options);
  say_refusals(ready);
  for (const std::string& note : notes) say(note);
  Study study;
  const int status =
      run_watched(folder, [&](const RunProgress& progress) { study = run_study(ready, progress, &folder.runs()); });
  if (status != 0) return status;

  std::string problem;
  const bool drawn = write_study(study, folder.place(), folder.keep(), &problem);
  if (!drawn) say("a figure was not drawn: " + problem);
  write_file(folder.place() / "report.html",
             report_page(study, {.folder = folder.place(), .command = options.command}));
  if (json) {
    show("{}\n", json_text(study_json(study, folder.path())));
  } else {
    const std::string text = fmt::format("{}\n{}\nReport: {}\n", format_study(study, output_width()), cost_text(study),
                                         (folder.path() / "report.html").string());
    show("{}", fitted(text, output_width()));
  }
  return drawn ? 0 : 1;
}

}  // namespace retropg::app
