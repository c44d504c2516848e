#include "report/study_output.hpp"

#include <fmt/format.h>

#include "json_text.hpp"
#include "report/aggregate_output.hpp"
#include "report/comparison_output.hpp"
#include "report/count_text.hpp"
#include "report/latex.hpp"
#include "report/sweep_output.hpp"
#include "retropg/experiment/arm.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

Json task_json(const StudyTask& task, const Study& study, const std::filesystem::path& folder) {
  Json result = comparison_json(task.comparison, folder);
  if (study.pick_seeds > 0) result["sweep"] = sweep_json(task, study);
  return result;
}

}  // namespace

std::vector<Place> task_folders(const Study& study, const Place& folder) {
  if (study.tasks.size() == 1) return {folder};
  std::vector<Arm> names;
  for (const StudyTask& task : study.tasks) names.push_back({.label = task.environment, .configuration = {}});
  std::vector<Place> result;
  for (const std::string& name : file_names(names)) result.push_back(folder / name);
  return result;
}

std::string format_study(const Study& study, std::size_t width) {
  std::string text;
  for (const StudyTask& task : study.tasks) {
    text += (text.empty() ? "" : "\n\n") + comparison_table(task.comparison, width);
    if (study.pick_seeds > 0) text += "\n" + format_sweep(task, study, width);
  }
  text += comparison_legend(study.tasks.back().comparison);  // the same for all
  return study.aggregate ? text + "\n\n" + format_aggregate(study, width) : text;
}

std::string cost_text(const Study& study) {
  return fmt::format("{}, {:.1f} million steps in {:.2f} s on {}.", count_text(study.runs, "run"),
                     static_cast<double>(study.steps) / 1e6, study.seconds,
                     count_text(study.tasks.front().comparison.plan.threads, "thread"));
}

Json study_json(const Study& study, const std::filesystem::path& folder) {
  if (study.tasks.size() == 1) return task_json(study.tasks.front(), study, folder);
  const std::vector<Place> own = task_folders(study, folder);
  Json comparisons = Json::array();
  for (std::size_t t = 0; t < study.tasks.size(); ++t) {
    comparisons.push_back(task_json(study.tasks[t], study, folder.empty() ? folder : own[t].path()));
    comparisons.back().erase("seconds");  // the runs of all environments are made together
  }
  Json result = {{"title", study.title}, {"comparisons", comparisons}, {"aggregate", aggregate_json(study)}};
  if (!folder.empty()) {
    result["seconds"] = study.seconds;
    result["folder"] = folder.string();
  }
  return result;
}

bool write_study(const Study& study, const Place& folder, const Keep& keep, std::string* problem) {
  const std::vector<Place> own = task_folders(study, folder);
  for (std::size_t t = 0; t < study.tasks.size(); ++t) {
    if (own.size() > 1) need_folder(own[t]);
    write_comparison(study.tasks[t].comparison, own[t], keep);
    write_file(own[t] / "table.tex", latex_tables(study.tasks[t].comparison, {}));
    if (study.pick_seeds > 0) write_file(own[t] / "sweep.csv", sweep_csv(study.tasks[t]));
  }
  if (study.aggregate) write_aggregate(study, folder);
  if (study.aggregate || study.pick_seeds > 0) write_file(folder / "summary.json", json_text(study_json(study)) + "\n");
  for (std::size_t t = 0; t < study.tasks.size(); ++t) {
    if (!draw_comparison(study.tasks[t].comparison, own[t], problem)) return false;
  }
  return !study.aggregate || draw_profiles(study, folder, problem);
}

}  // namespace retropg::app
