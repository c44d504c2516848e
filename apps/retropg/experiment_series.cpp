#include "experiment_series.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "comparison_report.hpp"
#include "json_text.hpp"
#include "report/experiment_output.hpp"
#include "report/index_page.hpp"
#include "retropg/storage/file.hpp"
#include "say.hpp"
#include "shell.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNames = "experiments.json";  // tells that the folder is one of several experiments

/// Of one experiment in the folder of all.
ResultsOptions options_of(const ReadyExperiment& ready, ResultsOptions options) {
  options.out = *options.out / ready.plan.name;
  return options;
}

std::vector<IndexEntry> entries_of(const ExperimentSeries& series) {
  std::vector<IndexEntry> entries;
  for (const ReadyExperiment& ready : series.experiments) {
    entries.push_back({.name = ready.plan.name, .title = ready.plan.comparison.title});
  }
  return entries;
}

Json names_of(const std::vector<IndexEntry>& entries) {
  Json names = Json::array();
  for (const IndexEntry& entry : entries) names.push_back(entry.name);
  return {{"experiments", names}};
}

/// Before anything is created.
void check_folders(const ExperimentSeries& series, const ResultsOptions& options) {
  for (const ReadyExperiment& ready : series.experiments) {
    check_results_folder(results_plan(ready), ready.plan.name, options.out ? options_of(ready, options) : options);
  }
}

}  // namespace

int report_series(const ExperimentSeries& series, ResultsOptions options, bool json) {
  check_folders(series, options);
  const Place folder = find_or_make_folder(options.out, options.name, kNames).opened();
  const FolderLock lock(folder);
  if (!options.out) options.command += " --out " + shell_word(folder.string());
  options.out = folder;
  for (const std::string& line : series.left_out) say("left out " + line);

  std::vector<IndexEntry> entries = entries_of(series);
  write_file(folder / kNames, json_text(names_of(entries)) + "\n");
  const auto write_index = [&] {
    write_file(folder / "index.html", index_page(entries, {.command = options.command, .left_out = series.left_out}));
  };
  write_index();
  Json objects = Json::array();
  int status = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    say(fmt::format("experiment {} of {}: {}", i + 1, entries.size(), entries[i].name));
    const ExperimentReport report = run_and_write(series.experiments[i], options_of(series.experiments[i], options));
    if (!report.result) return report.status;
    status = std::max(status, report.status);
    entries[i].result = indexed(*report.result, folder / entries[i].name);
    write_index();
    if (json) {
      objects.push_back(experiment_json(*report.result, report.folder));
    } else {
      print_report(report);
      show("\n");
    }
  }
  if (json) {
    show("{}\n", json_text({{"experiments", objects}, {"folder", folder.string()}}));
  } else {
    show("All experiments: {}\n", (folder / "index.html").string());
  }
  return status;
}

}  // namespace retropg::app
