#include "retropg/experiment/comparison_file.hpp"

#include <toml++/toml.h>

#include "retropg/core/error.hpp"
#include "retropg/experiment/experiment_files.hpp"
#include "retropg/configuration/registry.hpp"

namespace retropg {
namespace {

template <typename T>
T needed(const toml::table& table, const char* key) {
  const std::optional<T> value = table[key].value<T>();
  require(value.has_value(), std::string("experiment: '") + key + "' is missing or has the wrong type");
  return *value;
}

ArmPlan arm_plan(const toml::table& table) {
  ArmPlan plan{
      .label = needed<std::string>(table, "label"), .settings = {}, .expected_area = table["area"].value<double>()};
  const toml::array* settings = table["settings"].as_array();
  require(settings != nullptr, "arm '" + plan.label + "' needs 'settings', a list of key=value");
  for (const toml::node& setting : *settings) {
    require(setting.is_string(), "arm '" + plan.label + "': every setting must be a string, \"key=value\"");
    plan.settings.push_back(*setting.value<std::string>());
  }
  return plan;
}

}  // namespace

ComparisonPlan parse_comparison(const std::string& experiment, const std::string& base, const std::string& base_name) {
  const toml::table file = toml::parse(experiment);
  ComparisonPlan plan{.title = needed<std::string>(file, "title"),
                      .base = canonical(parse_configuration(base, base_name)),
                      .arms = {},
                      .seeds = needed<Index>(file, "seeds"),
                      .budget = needed<Index>(file, "budget"),
                      .reference = file["reference"].value_or(std::string()),
                      .threshold = file["threshold"].value<double>(),
                      .expected_runs = file["expected_runs"].value_or(Index{1})};
  require(plan.expected_runs >= 1, "'expected_runs' must be at least 1");
  const toml::array* arms = file["arm"].as_array();
  require(arms != nullptr, "experiment: at least one [[arm]] is needed");
  for (const toml::node& arm : *arms) {
    require(arm.is_table(), "experiment: 'arm' must be a list of tables, written [[arm]]");
    plan.arms.push_back(arm_plan(*arm.as_table()));
  }
  return plan;
}

ComparisonPlan comparison_plan(const std::string& name) {
  const auto& files = experiment_files();
  return parse_comparison(files.at(name + "/experiment"), files.at(name + "/base"),
                          "experiments/" + name + "/base.toml");
}

}  // namespace retropg
