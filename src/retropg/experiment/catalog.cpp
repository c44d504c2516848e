#include "retropg/experiment/catalog.hpp"

#include "retropg/experiment/comparison_file.hpp"
#include "retropg/experiment/experiment_files.hpp"

namespace retropg {
namespace {

std::vector<RegistryEntry> make_table() {
  std::vector<RegistryEntry> table = {
      {"table2", {}, "the paper's Table 2 and Figure 3: RPG against GPOMDP on Cart Pole, ratios and run times"},
  };
  const std::string ending = "/experiment";
  for (const auto& [file, text] : experiment_files()) {
    if (!file.ends_with(ending) || file == "table2" + ending) continue;
    const std::string name = file.substr(0, file.size() - ending.size());
    table.push_back({name, {}, comparison_plan(name).title});
  }
  return table;
}

}  // namespace

const std::vector<RegistryEntry>& experiments() {
  static const std::vector<RegistryEntry> table = make_table();
  return table;
}

}  // namespace retropg
