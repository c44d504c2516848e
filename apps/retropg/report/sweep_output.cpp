#include "report/sweep_output.hpp"

#include <fmt/format.h>

#include "report/csv.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

/// What a setting adds to its arm, such as "optimizer.rate=0.03"; empty if the arm has one setting.
std::string setting_text(const TriedSetting& setting, const ComparedArm& arm) {
  return setting.label == arm.label ? "" : setting.label.substr(arm.label.size() + 1);
}

bool was_tried(const PickedSetting& arm) {
  return arm.tried.size() > 1;
}

std::uint64_t last_pick_seed(const Study& study) {
  return study.first_seed + static_cast<std::uint64_t>(study.pick_seeds) - 1;
}

}  // namespace

std::vector<Column> picked_columns(const StudyTask& task) {
  std::vector<Column> columns = {
      {"algorithm", {}}, {"settings tried", {}}, {"picked", {}}, {"area when picked", {}}, {"area when run again", {}}};
  for (std::size_t i = 0; i < task.settings.size(); ++i) {
    const ComparedArm& arm = task.comparison.arms[i];
    const PickedSetting& settings = task.settings[i];
    const TriedSetting& pick = settings.tried[settings.picked];
    columns[0].cells.push_back(arm.label);
    columns[1].cells.push_back(std::to_string(settings.tried.size()));
    columns[2].cells.push_back(was_tried(settings) ? setting_text(pick, arm) : "-");
    columns[3].cells.push_back(was_tried(settings) ? fmt::format("{:.4g}", pick.area.mean) : "-");
    columns[4].cells.push_back(fmt::format("{:.4g} +- {:.2g}", arm.area.mean, arm.area.student_t));
  }
  return columns;
}

std::vector<Column> tried_columns(const StudyTask& task) {
  // The first column names the setting: it comes again in every part of a table that is too wide for the terminal.
  std::vector<Column> columns = {{"setting", {}}, {"mean area", {}}, {"standard error", {}}, {"picked", {}}};
  for (const PickedSetting& settings : task.settings) {
    if (!was_tried(settings)) continue;
    for (std::size_t k = 0; k < settings.tried.size(); ++k) {
      const TriedSetting& tried = settings.tried[k];
      columns[0].cells.push_back(tried.label);
      columns[1].cells.push_back(fmt::format("{:.4g}", tried.area.mean));
      columns[2].cells.push_back(fmt::format("{:.2g}", tried.area.standard_error));
      columns[3].cells.push_back(k == settings.picked ? "yes" : "");
    }
  }
  return columns;
}

std::string sweep_note(const Study& study) {
  return fmt::format(
      "Settings were tried on seeds {} to {}. The one with the highest mean area was picked and run again on the "
      "other seeds of the table above: its area when picked is that of a winner, and too high on average.",
      study.first_seed, last_pick_seed(study));
}

std::string format_sweep(const StudyTask& task, const Study& study, std::size_t width) {
  return fmt::format("{}\n\n{}\nAll settings on seeds {} to {}:\n\n{}", sweep_note(study),
                     aligned(picked_columns(task), width), study.first_seed, last_pick_seed(study),
                     aligned(tried_columns(task), width));
}

std::string sweep_csv(const StudyTask& task) {
  std::string text = "arm,setting,label,runs,area,standard_error,picked\n";
  for (std::size_t i = 0; i < task.settings.size(); ++i) {
    for (std::size_t k = 0; k < task.settings[i].tried.size(); ++k) {
      const TriedSetting& tried = task.settings[i].tried[k];
      const bool ran = !tried.areas.empty();
      text += fmt::format("{},{},{},{},{},{},{}\n", csv_cell(task.comparison.arms[i].label),
                          csv_cell(setting_text(tried, task.comparison.arms[i])), csv_cell(tried.label),
                          tried.areas.size(), csv_cell(ran ? std::optional(tried.area.mean) : std::nullopt),
                          csv_cell(ran ? std::optional(tried.area.standard_error) : std::nullopt),
                          k == task.settings[i].picked);
    }
  }
  return text;
}

Json sweep_json(const StudyTask& task, const Study& study) {
  Json arms = Json::array();
  for (std::size_t i = 0; i < task.settings.size(); ++i) {
    Json tried = Json::array();
    for (const TriedSetting& setting : task.settings[i].tried) {
      const bool ran = !setting.areas.empty();
      tried.push_back({{"setting", setting_text(setting, task.comparison.arms[i])},
                       {"label", setting.label},
                       {"area", ran ? Json(setting.area.mean) : Json()},
                       {"standard_error", ran ? Json(setting.area.standard_error) : Json()},
                       {"areas", setting.areas}});
    }
    arms.push_back({{"arm", task.comparison.arms[i].label},
                    {"settings", task.settings[i].tried.size()},
                    {"picked", tried[task.settings[i].picked]["setting"]},
                    {"tried", std::move(tried)}});
  }
  return {{"first_seed", study.first_seed}, {"seeds", study.pick_seeds}, {"arms", std::move(arms)}};
}

}  // namespace retropg::app
