#include "retropg/experiment/stored_experiment.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/examination.hpp"

namespace retropg {
namespace {

namespace fs = std::filesystem;

/// Seeds are whole numbers: fewer digits come first.
std::vector<fs::path> runs_in(const fs::path& folder) {
  std::vector<fs::path> runs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (is_run_folder(entry.path())) runs.push_back(entry.path());
  }
  std::ranges::sort(runs, {}, [](const fs::path& run) {
    const std::string name = run.filename().string();
    return std::pair(name.size(), name);
  });
  return runs;
}

bool is_done(const fs::path& run) {
  std::error_code ignored;
  return fs::exists(run / "status", ignored) && read_file(run / "status") == "done\n";
}

}  // namespace

StoredExperiment read_experiment(const fs::path& folder) {
  const fs::path file = folder / "plan.toml";
  toml::table plan;
  try {
    plan = toml::parse(read_file(file));
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}: is damaged: {}", file.string(), error.description()));
  }
  std::vector<Arm> arms;
  if (const toml::array* list = plan["arm"].as_array()) {
    for (const toml::node& node : *list) {
      const toml::table* arm = node.as_table();
      const auto label = arm == nullptr ? std::nullopt : (*arm)["label"].value<std::string>();
      const auto configuration = arm == nullptr ? std::nullopt : (*arm)["configuration"].value<std::string>();
      require(label && configuration, file.string() + ": has an arm without label or configuration");
      arms.push_back({.label = *label, .configuration = parse_configuration(*configuration, file.string())});
    }
  }
  require(!arms.empty(), file.string() + ": has no arms");
  StoredExperiment experiment{.title = plan["title"].value_or(std::string()), .arms = {}};
  const std::vector<std::string> names = file_names(arms);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    StoredArm stored{.arm = std::move(arms[i]), .done = {}};
    for (const fs::path& run : runs_in(folder / "runs" / names[i])) {
      if (is_done(run)) {
        stored.done.push_back(run);
      } else {
        ++stored.not_done;
      }
    }
    experiment.arms.push_back(std::move(stored));
  }
  return experiment;
}

}  // namespace retropg
