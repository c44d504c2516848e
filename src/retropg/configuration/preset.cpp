#include "retropg/configuration/preset.hpp"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "retropg/configuration/preset_files.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"

namespace retropg {
namespace {

/// The settings for environments that have none of their own, and those that every other preset begins with.
constexpr const char* kAny = "any";
/// The table of an algorithm for policies of at most so many parameters.
constexpr const char* kFew = "few";
constexpr Index kFewParameters = 12;

/// A file of the presets folder has these tables, each with sections like a configuration: [all], for every algorithm;
/// [actions] and [parameters], for those that explore there; and one per algorithm. Later ones override earlier ones.
/// [paper] has tables of the same names.
const toml::table& file(const std::string& name) {
  static const std::map<std::string, toml::table> tables = [] {
    std::map<std::string, toml::table> result;
    for (const auto& [stem, text] : preset_files()) result.emplace(stem, toml::parse(text, stem + ".toml"));
    return result;
  }();
  static const toml::table none;
  const auto found = tables.find(name);
  return found == tables.end() ? none : found->second;
}

const toml::table& inner(const toml::table& table, std::string_view key) {
  static const toml::table none;
  const toml::table* found = table[key].as_table();
  return found == nullptr ? none : *found;
}

std::string text_of(const toml::node& value) {
  if (const std::optional<std::string> word = value.value_exact<std::string>()) return *word;
  if (const std::optional<double> number = value.value_exact<double>()) return fmt::format("{}", *number);
  std::ostringstream text;
  value.visit([&text](const auto& node) { text << node; });
  return text.str();
}

/// A later setting takes the place of an earlier one.
void add_settings(const toml::table& sections, std::vector<std::string>& settings) {
  for (const auto& [section, keys] : sections) {
    if (section == kFew) continue;
    for (const auto& [key, value] : *keys.as_table()) {
      const std::string begin = fmt::format("{}.{}=", section.str(), key.str());
      std::erase_if(settings, [&begin](const std::string& setting) { return setting.starts_with(begin); });
      settings.push_back(begin + text_of(value));
    }
  }
}

/// Whether the policy is the one that an environment has by default, linear, and small there.
bool has_few_parameters(const Configuration& names) {
  if (is_handed_over(names.env.id)) return false;
  Configuration by_default = names;
  by_default.policy.kind.reset();
  if (canonical(by_default).policy.kind != names.policy.kind) return false;
  const EnvironmentDefinition environment = make_environment(names);
  return environment.observation_size * std::max(environment.action_size, environment.action_count) <= kFewParameters;
}

void add_tables(const toml::table& tables, const Configuration& names, std::vector<std::string>& settings) {
  for (const std::string& key : {std::string("all"), name_of(exploration_of(names)), names.algo.name}) {
    add_settings(inner(tables, key), settings);
  }
  const toml::table& few = inner(inner(tables, names.algo.name), kFew);
  if (!few.empty() && has_few_parameters(names)) add_settings(few, settings);
}

}  // namespace

Preset find_preset(PresetKind kind, const std::string& environment, const std::string& algorithm,
                   const std::optional<std::string>& policy) {
  Configuration names;
  names.env.id = environment;
  names.policy.kind = policy;
  names = canonical(std::move(names));
  const toml::table& own = file(names.env.id);
  const bool paper = kind == PresetKind::kPaper;
  require(!paper || own.contains("paper"), fmt::format("the paper has no settings for {}; it has them for {}",
                                                       names.env.id, fmt::join(environments_of_the_paper(), ", ")));
  names.algo.name = !algorithm.empty()         ? algorithm
                    : kind == PresetKind::kOwn ? file(kAny)["algorithm"].value_or(std::string("rpg"))
                                               : Configuration{}.algo.name;
  names = canonical(std::move(names));

  Preset preset{.algorithm = names.algo.name, .source = "", .settings = {}};
  if (paper) {
    preset.source = inner(own, "paper")["source"].value_or(std::string());
    add_tables(inner(own, "paper"), names, preset.settings);
  } else if (kind == PresetKind::kOwn) {
    // The source of a file speaks of what it sets for this kind of algorithm; without that, the other file says most.
    const bool special = own.contains(name_of(exploration_of(names))) || own.contains(names.algo.name);
    preset.source = (special ? own : file(kAny))["source"].value_or(std::string());
    add_tables(file(kAny), names, preset.settings);
    add_tables(own, names, preset.settings);
  }
  return preset;
}

Configuration preset_configuration(const std::string& environment, const std::string& algorithm, PresetKind kind,
                                   const std::optional<std::string>& policy) {
  const Preset preset = find_preset(kind, environment, algorithm, policy);
  Configuration configuration;
  configuration.env.id = environment;
  configuration.algo.name = preset.algorithm;
  configuration.policy.kind = policy;
  for (const std::string& setting : preset.settings) apply_setting(configuration, setting);
  return canonical(std::move(configuration));
}

std::vector<std::string> environments_of_the_paper() {
  std::vector<std::string> result;
  for (const EnvironmentEntry& entry : environments()) {
    if (file(entry.name).contains("paper")) result.push_back(entry.name);
  }
  return result;
}

}  // namespace retropg
