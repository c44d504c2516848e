#include "retropg/experiment/catalog.hpp"

#include "retropg/experiment/experiment_plan.hpp"
#include "retropg/experiment/experiment_files.hpp"

namespace retropg {
namespace {

std::vector<RegistryEntry> make_table() {
  std::vector<RegistryEntry> table;
  const std::string ending = "/experiment";
  for (const auto& [file, text] : experiment_files()) {
    if (!file.ends_with(ending)) continue;
    const std::string name = file.substr(0, file.size() - ending.size());
    table.push_back({name, {}, builtin_experiment(name).comparison.title});
  }
  return table;
}

}  // namespace

const std::vector<RegistryEntry>& experiments() {
  static const std::vector<RegistryEntry> table = make_table();
  return table;
}

}  // namespace retropg
