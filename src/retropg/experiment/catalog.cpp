#include "retropg/experiment/catalog.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "retropg/experiment/experiment_files.hpp"
#include "retropg/experiment/experiment_plan.hpp"

namespace retropg {
namespace {

std::string duration(double minutes) {
  return minutes < 1.0 ? fmt::format("{:.0f} s", 60.0 * minutes) : fmt::format("{:.0f} min", minutes);
}

/// What costs least comes first.
std::vector<RegistryEntry> make_table() {
  std::vector<ExperimentPlan> plans;
  const std::string ending = "/experiment";
  for (const auto& [file, text] : experiment_files()) {
    if (file.ends_with(ending)) plans.push_back(builtin_experiment(file.substr(0, file.size() - ending.size())));
  }
  std::ranges::stable_sort(plans, {}, &ExperimentPlan::minutes);
  std::vector<RegistryEntry> table;
  for (const ExperimentPlan& plan : plans) {
    table.push_back({plan.name, {}, fmt::format("{} ({})", plan.comparison.title, duration(plan.minutes))});
  }
  return table;
}

}  // namespace

const std::vector<RegistryEntry>& experiments() {
  static const std::vector<RegistryEntry> table = make_table();
  return table;
}

}  // namespace retropg
