#include "retropg/storage/results_examination.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/storage/curve_file.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {
namespace {

using Paths = std::vector<std::filesystem::path>;

Paths entries_of(const std::filesystem::path& folder) {
  Paths paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(std::filesystem::symlink_status(path, ignored));  // links may form circles
}

bool is_plan(const std::filesystem::path& path) {
  return path.stem() == "plan";
}

void count(ResultsExamination& results, const Examination& run) {
  Index& number = !run.well()                      ? results.damaged
                  : run.state == RunState::kDone   ? results.done
                  : run.state == RunState::kFailed ? results.failed
                                                   : results.under_way;
  ++number;
}

/// A curve takes the place of a run that is done.
void examine_curve(const std::filesystem::path& file, ResultsExamination& results) {
  try {
    read_curve_file(file);
    ++results.done;
  } catch (const Error& error) {
    ++results.damaged;
    std::string text = error.what();
    if (text.starts_with(file.string() + ": ")) text.erase(0, file.string().size() + 2);
    results.findings.push_back({file.lexically_relative(results.folder).string(), Severity::kDamaged, text});
  }
}

/// Examines the folder if it is a run's, otherwise the folders in it.
void examine_below(const std::filesystem::path& folder, ResultsExamination& results) {
  if (is_run_folder(folder)) {
    results.runs.push_back(examine_run(folder));
    count(results, results.runs.back());
    return;
  }
  const Paths entries = entries_of(folder);
  if (entries.empty()) {
    results.findings.push_back({folder.lexically_relative(results.folder).string(), Severity::kWarning,
                                "is empty: what belongs there has not begun"});
  }
  for (const std::filesystem::path& entry : entries) {
    if (is_curve_file(entry)) examine_curve(entry, results);
    const bool is_left_over = is_there(entry.string() + ".csv");
    if (is_folder(entry) && !is_left_over) examine_below(entry, results);
  }
}

}  // namespace

bool ResultsExamination::well() const {
  return damaged == 0;
}

bool is_results_folder(const std::filesystem::path& path) {
  const Paths entries = entries_of(path);
  return is_folder(path / "runs") || std::ranges::any_of(entries, is_plan);
}

ResultsExamination examine_results(const std::filesystem::path& path) {
  require(is_results_folder(path), path.string() + ": is not a results folder");
  ResultsExamination results{.folder = path};
  const Paths entries = entries_of(path);
  if (std::ranges::none_of(entries, is_plan)) {
    results.findings.push_back({"plan", Severity::kWarning, "is missing: which runs belong here is not known"});
  }
  for (const std::filesystem::path& entry : entries) {
    if (entry.extension() == ".tmp") {
      results.findings.push_back(
          {entry.filename().string(), Severity::kWarning, "was left over when writing was cut short; does no harm"});
    }
  }
  if (is_folder(path / "runs")) examine_below(path / "runs", results);
  return results;
}

}  // namespace retropg
