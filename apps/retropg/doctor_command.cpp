#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "json_text.hpp"
#include "report/count_text.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/results_examination.hpp"
#include "shell.hpp"
#include "terminal.hpp"
#include "wrap.hpp"
#include "say.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

bool is_fine(const Finding& finding) {
  return finding.severity == Severity::kFine;
}

/// A line for each finding; on a narrow terminal, files with long names have a line of their own.
std::string lines(const std::vector<Finding>& findings, bool fine_ones) {
  std::size_t longest = 0;
  for (const Finding& finding : findings) longest = std::max(longest, finding.file.size());
  const std::size_t width = output_width(), column = std::min(longest + 13, width / 2);
  std::string text;
  for (const Finding& finding : findings) {
    if (fine_ones || !is_fine(finding)) {
      const std::string name = fmt::format("{:<8} {}", name_of(finding.severity), finding.file);
      text += described(name, finding.text, column, width);
    }
  }
  return text;
}

std::string state_text(const Examination& run) {
  switch (run.state) {
    case RunState::kRunning: return "the run is under way";
    case RunState::kKilled: return "the run was killed";
    case RunState::kDone: return "the run is done";
    case RunState::kInterrupted: return "the run was interrupted by " + run.reason;
    case RunState::kFailed: return "the run failed: " + run.reason;
    case RunState::kUnknown: break;
  }
  return "how the run ended is not known";
}

std::string verdict(const Examination& run) {
  std::string text = state_text(run) + "\n";
  if (run.in_python && run.resume_after) {
    return text + fmt::format(
                      "its environment comes from Python: retropg.resume(\"{}\") there goes on after iteration "
                      "{}\n",
                      run.folder.string(), *run.resume_after);
  }
  if (!run.resume_after) {
    text += "it cannot be resumed: " + run.refusal + "\n";
  } else if (run.state == RunState::kRunning) {
    text += fmt::format("if it stopped now, it could be resumed after iteration {}\n", *run.resume_after);
  } else if (run.state == RunState::kDone) {
    text += fmt::format(
        "it can be made longer after iteration {}: retropg resume {} with a larger --iterations, --budget or --steps, "
        "whichever limits it\n",
        *run.resume_after, shell_word(run.folder.string()));
  } else {
    text += fmt::format("it goes on after iteration {} with: retropg resume {}\n", *run.resume_after,
                        shell_word(run.folder.string()));
  }
  return text + (run.evaluate.empty()
                     ? "no policy can be evaluated\n"
                     : "its policy can be evaluated: retropg eval " + shell_word(run.evaluate.string()) + "\n");
}

Json json_of(const std::vector<Finding>& findings, bool fine_ones) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    if (fine_ones || !is_fine(finding)) {
      list.push_back({{"file", finding.file}, {"severity", name_of(finding.severity)}, {"text", finding.text}});
    }
  }
  return list;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json json_of(const Examination& run, bool fine_ones) {
  return {{"kind", "run"},
          {"folder", run.folder.string()},
          {"well", run.well()},
          {"state", name_of(run.state)},
          {"reason", text_or_null(run.reason)},
          {"resume_after", run.resume_after ? Json(*run.resume_after) : Json()},
          {"refusal", text_or_null(run.refusal)},
          {"evaluate", text_or_null(run.evaluate.string())},
          {"findings", json_of(run.findings, fine_ones)}};
}

/// Whether there is anything to say about a run among many.
bool is_noteworthy(const Examination& run) {
  return !run.well() || run.state != RunState::kDone || !std::ranges::all_of(run.findings, is_fine);
}

Json json_of(const ResultsExamination& results) {
  Json runs = Json::array();
  for (const Examination& run : results.runs) {
    if (is_noteworthy(run)) runs.push_back(json_of(run, false));
  }
  return {{"kind", "results"},
          {"folder", results.folder.string()},
          {"well", results.well()},
          {"runs", results.count()},
          {"done", results.done},
          {"under_way", results.under_way},
          {"failed", results.failed},
          {"damaged", results.damaged},
          {"findings", json_of(results.findings, false)},
          {"not_done_or_not_fine", runs}};
}

std::string text_of(const Examination& run) {
  return run.folder.string() + "\n" + lines(run.findings, true) + verdict(run);
}

std::string text_of(const ResultsExamination& results) {
  std::string text = results.folder.string() + "\n" + lines(results.findings, false);
  for (const Examination& run : results.runs) {
    if (is_noteworthy(run)) text += run.folder.string() + "\n" + lines(run.findings, false) + verdict(run);
  }
  return text + fmt::format("{}: {} done, {} under way, {} failed, {} damaged\n", count_text(results.count(), "run"),
                            results.done, results.under_way, results.failed, results.damaged);
}

int print(const std::string& text, const Json& json, bool as_json, bool well) {
  show("{}", as_json ? json_text(json) + "\n" : fitted(text, output_width()));
  return well ? 0 : 1;
}

}  // namespace

int doctor_command(const DoctorArguments& arguments) {
  const Place path = arguments.path;
  if (is_run_folder(path)) {
    const Examination run = examine_run(path);
    return print(text_of(run), json_of(run, true), arguments.json, run.well());
  }
  require(is_results_folder(path),
          arguments.path + ": is neither a run folder (config.toml) nor a results folder (runs/)");
  const ResultsExamination results = examine_results(path);
  return print(text_of(results), json_of(results), arguments.json, results.well());
}

}  // namespace retropg::app
