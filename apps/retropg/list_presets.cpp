#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "json_text.hpp"
#include "retropg/configuration/preset.hpp"
#include "retropg/configuration/registry.hpp"
#include "terminal.hpp"
#include "wrap.hpp"
#include "say.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

/// Canonical names; all environments if none is given. Throws Error for one that is unknown.
std::vector<std::string> canonical_names(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& name : given) {
    Configuration configuration;
    configuration.env.id = name;
    names.push_back(canonical(std::move(configuration)).env.id);
  }
  if (!given.empty()) return names;
  for (const EnvironmentEntry& entry : environments()) names.push_back(entry.name);
  return names;
}

/// The presets of these environments for every algorithm.
Json presets_as_json(const std::vector<std::string>& names) {
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
  for (const std::string& name : names) add(name, PresetKind::kOwn, "own");
  for (const std::string& environment : environments_of_the_paper()) {
    if (std::ranges::find(names, environment) != names.end()) add(environment, PresetKind::kPaper, "paper");
  }
  return list;
}

/// Algorithms with the same settings, from the same source, share a paragraph.
void print_presets(const Json& list, std::size_t width) {
  struct Group {
    std::string settings, source, algorithms;
  };
  for (auto first = list.begin(); first != list.end();) {
    show("{}, {}\n", (*first)["environment"].get<std::string>(), (*first)["preset"].get<std::string>());
    std::vector<Group> groups;
    auto last = first;
    for (; last != list.end() && (*last)["environment"] == (*first)["environment"] &&
           (*last)["preset"] == (*first)["preset"];
         ++last) {
      const std::string settings =
          fmt::format("{}", fmt::join((*last)["settings"].get<std::vector<std::string>>(), " "));
      const std::string source = (*last)["source"], algorithm = (*last)["algorithm"];
      const auto found = std::ranges::find_if(
          groups, [&](const Group& group) { return group.settings == settings && group.source == source; });
      if (found == groups.end()) {
        groups.push_back({settings, source, algorithm});
      } else {
        found->algorithms += ", " + algorithm;
      }
    }
    for (const Group& group : groups) {
      show("  {}\n    {}\n    {}\n", wrapped(group.algorithms, 2, width), wrapped(group.settings, 4, width),
           wrapped(fmt::format("({})", group.source), 4, width));
    }
    show("\n");
    first = last;
  }
}

}  // namespace

int list_presets(const std::vector<std::string>& names, bool json) {
  const Json list = presets_as_json(canonical_names(names));
  if (json) {
    show("{}\n", json_text(list));
  } else {
    print_presets(list, output_width());
  }
  return 0;
}

}  // namespace retropg::app
