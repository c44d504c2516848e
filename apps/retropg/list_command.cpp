#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "explain_key.hpp"
#include "json_text.hpp"
#include "retropg/environment/mujoco.hpp"
#include "retropg/experiment/catalog.hpp"
#include "retropg/configuration/preset.hpp"
#include "retropg/configuration/registry.hpp"
#include "terminal.hpp"
#include "wrap.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

template <typename E>
Json as_json(const std::vector<E>& entries) {
  Json list = Json::array();
  for (const E& entry : entries) {
    list.push_back({{"name", entry.name}, {"aliases", entry.aliases}, {"description", entry.description}});
  }
  return list;
}

void print(const Json& lists, std::size_t width) {
  for (const auto& [title, entries] : lists.items()) {
    fmt::print("{}\n", title);
    for (const Json& entry : entries) {
      std::string name = entry["name"];
      for (const std::string alias : entry["aliases"]) name += ", " + alias;
      fmt::print("  {:<34} {}\n", name, wrapped(entry["description"].get<std::string>(), 37, width));
    }
    fmt::print("\n");
  }
}

/// The settings of a preset for the algorithms that have some of their own, by environment.
Json presets_as_json() {
  Json list = Json::array();
  const auto add = [&list](const std::string& environment, PresetKind kind, const char* name) {
    for (const AlgorithmEntry& algorithm : algorithms()) {
      const Preset preset = find_preset(kind, environment, algorithm.name);
      list.push_back({{"environment", environment},
                      {"algorithm", preset.algorithm},
                      {"preset", name},
                      {"source", preset.source},
                      {"settings", preset.settings}});
    }
  };
  for (const EnvironmentEntry& entry : environments()) add(entry.name, PresetKind::kOwn, "own");
  for (const std::string& environment : preset_environments(PresetKind::kPaper)) {
    add(environment, PresetKind::kPaper, "paper");
  }
  return list;
}

/// Algorithms with the same settings share a paragraph.
void print_presets(const Json& list, std::size_t width) {
  for (auto first = list.begin(); first != list.end();) {
    fmt::print("{}, {} ({})\n", (*first)["environment"].get<std::string>(), (*first)["preset"].get<std::string>(),
               (*first)["source"].get<std::string>());
    std::vector<std::pair<std::string, std::string>> groups;  // settings, algorithms
    auto last = first;
    for (; last != list.end() && (*last)["environment"] == (*first)["environment"] &&
           (*last)["preset"] == (*first)["preset"];
         ++last) {
      const std::string text = fmt::format("{}", fmt::join((*last)["settings"].get<std::vector<std::string>>(), " "));
      const std::string algorithm = (*last)["algorithm"];
      const auto found = std::ranges::find(groups, text, &std::pair<std::string, std::string>::first);
      if (found == groups.end()) {
        groups.emplace_back(text, algorithm);
      } else {
        found->second += ", " + algorithm;
      }
    }
    for (const auto& [settings, names] : groups) {
      fmt::print("  {}\n    {}\n", wrapped(names, 2, width), wrapped(settings, 4, width));
    }
    fmt::print("\n");
    first = last;
  }
}

}  // namespace

int list_command(const ListArguments& arguments) {
  if (!arguments.keys.empty()) {
    const std::vector<ExplainedKey> keys = explain_keys(arguments.keys);
    fmt::print("{}\n", arguments.json ? json_text(to_json(keys)) : to_text(keys, output_width()));
    return 0;
  }
  if (arguments.presets) {
    const Json list = presets_as_json();
    if (arguments.json) {
      fmt::print("{}\n", json_text(list));
    } else {
      print_presets(list, output_width());
    }
    return 0;
  }
  const Json lists = {{"environments", as_json(environments())},
                      {"algorithms", as_json(algorithms())},
                      {"policies", as_json(policies())},
                      {"experiments", as_json(experiments())}};
  const std::string mujoco = mujoco_version();
  if (arguments.json) {
    Json object = lists;
    object["mujoco"] = mujoco.empty() ? Json() : Json(mujoco);
    fmt::print("{}\n", json_text(object));
  } else {
    print(lists, output_width());
    fmt::print("MuJoCo: {}\n", mujoco.empty() ? "not in this build, nor are its environments" : mujoco);
  }
  return 0;
}

}  // namespace retropg::app
