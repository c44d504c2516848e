#include "retropg/storage/results_examination.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/storage/curve_file.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {
namespace {

bool is_plan(const std::string& name) {
  return name.substr(0, name.find_last_of('.')) == "plan";
}

void count(ResultsExamination& results, const Examination& run) {
  Index& number = !run.well()                      ? results.damaged
                  : run.state == RunState::kDone   ? results.done
                  : run.state == RunState::kFailed ? results.failed
                                                   : results.under_way;
  ++number;
}

/// A curve takes the place of a run that is done.
void examine_curve(const Place& file, ResultsExamination& results) {
  try {
    read_curve_file(file);
    ++results.done;
  } catch (const Error& error) {
    ++results.damaged;
    std::string text = error.what();
    if (text.starts_with(file.string() + ": ")) text.erase(0, file.string().size() + 2);
    results.findings.push_back({file.path().lexically_relative(results.folder).string(), Severity::kDamaged, text});
  }
}

/// Examines the folder if it is a run's, otherwise the folders in it.
void examine_below(const Place& folder, ResultsExamination& results) {
  if (is_run_folder(folder)) {
    results.runs.push_back(examine_run(folder));
    count(results, results.runs.back());
    return;
  }
  const std::vector<std::string> names = names_in(folder);
  if (names.empty()) {
    results.findings.push_back({folder.path().lexically_relative(results.folder).string(), Severity::kWarning,
                                "is empty: what belongs there has not begun"});
  }
  for (const std::string& name : names) {
    const Place entry = folder / name;
    if (is_curve_file(entry)) examine_curve(entry, results);
    const bool is_left_over = is_there(folder / (name + ".csv"));
    if (is_folder(entry) && !is_left_over) examine_below(entry, results);
  }
}

}  // namespace

bool ResultsExamination::well() const {
  return damaged == 0;
}

bool is_results_folder(const Place& path) {
  return is_folder(path / "runs") || std::ranges::any_of(names_in(path), is_plan);
}

ResultsExamination examine_results(const Place& path) {
  require(is_results_folder(path), path.string() + ": is not a results folder");
  ResultsExamination results{.folder = path.path()};
  const std::vector<std::string> names = names_in(path);
  if (std::ranges::none_of(names, is_plan)) {
    results.findings.push_back({"plan", Severity::kWarning, "is missing: which runs belong here is not known"});
  }
  for (const std::string& name : names) {
    if (name.ends_with(".tmp")) {
      results.findings.push_back({name, Severity::kWarning, "was left over when writing was cut short; does no harm"});
    }
  }
  if (is_folder(path / "runs")) examine_below(path / "runs", results);
  return results;
}

}  // namespace retropg
