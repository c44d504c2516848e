#include "retropg/experiment/stored_experiment.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/curve_file.hpp"
#include "retropg/storage/examination.hpp"

namespace retropg {
namespace {

/// The seed of a folder SEED or a file SEED.csv.
std::optional<std::uint64_t> seed_of(const Place& run) {
  const std::string name = run.stem();
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), seed);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(seed) : std::nullopt;
}

/// Those with at least this seed. A folder whose curve is kept beside it is left over.
std::vector<Place> runs_in(const Place& folder, std::uint64_t first_seed) {
  std::vector<Place> runs;
  for (const std::string& name : names_in(folder)) {
    const Place run = folder / name;
    const bool is_run = is_curve_file(run) || (is_run_folder(run) && !is_there(folder / (name + ".csv")));
    if (is_run && seed_of(run).value_or(0) >= first_seed) runs.push_back(run);
  }
  std::ranges::sort(runs, {}, seed_of);
  return runs;
}

bool is_done(const Place& run) {
  if (is_curve_file(run)) return true;
  return is_there(run / "status") && read_file(run / "status") == "done\n";
}

}  // namespace

StoredExperiment read_experiment(const Place& folder) {
  const Place file = folder / "plan.toml";
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
  const Index pick_seeds = plan["pick_seeds"].value_or(Index{0});
  const Index first_seed = pick_seeds == 0 ? 0 : plan["seed"].value_or(Index{0}) + pick_seeds;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    StoredArm stored{.arm = std::move(arms[i]), .done = {}};
    for (const Place& run : runs_in(folder / "runs" / names[i], static_cast<std::uint64_t>(first_seed))) {
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
