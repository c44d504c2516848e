#include <optional>

#include <fmt/format.h>

#include "commands.hpp"
#include "explain_key.hpp"
#include "json_text.hpp"
#include "retropg/core/error.hpp"
#include "retropg/environment/mujoco.hpp"
#include "retropg/experiment/catalog.hpp"
#include "retropg/configuration/key_lookup.hpp"
#include "retropg/configuration/registry.hpp"
#include "terminal.hpp"
#include "wrap.hpp"
#include "say.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

template <typename E>
Json as_json(const std::vector<E>& entries) {
  Json list = Json::array();
  for (const E& entry : entries) {
    list.push_back({{"name", entry.name}, {"aliases", entry.aliases}, {"description", entry.description}});
    if constexpr (requires { entry.discrete; }) list.back()["discrete"] = entry.discrete;
  }
  return list;
}

/// Nothing for an environment that is not in this build.
std::optional<EnvironmentDefinition> definition(const std::string& name) {
  Configuration configuration;
  configuration.env.id = name;
  try {
    return make_environment(configuration);
  } catch (const Error&) {
    return std::nullopt;
  }
}

Json environments_as_json() {
  Json list = as_json(environments());
  for (Json& entry : list) {
    const std::optional<EnvironmentDefinition> environment = definition(entry["name"]);
    if (!environment) continue;
    entry["observations"] = environment->observation_names;
    entry["actions"] = environment->action_names;
    entry["action_ranges"] = Json::array();
    for (const ActionRange& range : environment->action_ranges) {
      entry["action_ranges"].push_back({range.low, range.high});
    }
  }
  return list;
}

void print(const Json& lists, std::size_t width) {
  for (const auto& [title, entries] : lists.items()) {
    show("{}\n", title);
    for (const Json& entry : entries) {
      std::string name = entry["name"];
      for (const std::string alias : entry["aliases"]) name += ", " + alias;
      show("{}", described(name, entry["description"], 37, width));
    }
    show("\n");
  }
}

std::string sections() {
  return fmt::format("{}", fmt::join(section_names(), ", "));
}

}  // namespace

int list_command(const ListArguments& arguments) {
  if (arguments.presets) return list_presets(arguments.names, arguments.json);
  if (!arguments.names.empty()) {
    const std::vector<ExplainedKey> keys = explain_keys(arguments.names);
    show("{}\n", arguments.json ? json_text(to_json(keys)) : to_text(keys, output_width()));
    return 0;
  }
  const Json lists = {{"environments", as_json(environments())},
                      {"algorithms", as_json(algorithms())},
                      {"policies", as_json(policies())},
                      {"experiments", as_json(experiments())}};
  const std::string mujoco = mujoco_version();
  if (arguments.json) {
    Json object = lists;
    object["environments"] = environments_as_json();
    object["mujoco"] = mujoco.empty() ? Json() : Json(mujoco);
    show("{}\n", json_text(object));
  } else {
    print(lists, output_width());
    show("configuration\n{}\n",
         described("retropg list SECTION", "explains the keys of " + sections(), 37, output_width()));
    show("MuJoCo: {}\n", mujoco.empty() ? "not in this build, nor are its environments" : mujoco);
  }
  return 0;
}

}  // namespace retropg::app
