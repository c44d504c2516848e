#include "retropg/experiment/preset_line.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "retropg/configuration/registry.hpp"

namespace retropg {
namespace {

using Settings = std::vector<std::string>;  // "algo.batch=2"

/// What differs from the bare defaults, has an effect, and is not the user's.
Settings taken(PresetKind kind, const Configuration& resolved) {
  const Configuration whole = preset_configuration(resolved.env.id, resolved.algo.name, kind, resolved.policy.kind);
  const Configuration bare =
      preset_configuration(resolved.env.id, resolved.algo.name, PresetKind::kNone, resolved.policy.kind);
  const std::vector<std::string> changed = differing_keys(whole, resolved);
  Settings settings;
  for (const std::string& key : differing_keys(whole, bare)) {
    if (!has_effect(resolved, key) || std::ranges::find(changed, key) != changed.end()) continue;
    settings.push_back(key + "=" + setting_text(resolved, key));
  }
  return settings;
}

/// Whether there is a preset that says nothing but the bare defaults, and how long a run is.
bool is_bare(PresetKind kind, const Configuration& resolved) {
  if (kind == PresetKind::kNone) return false;
  const Configuration whole = preset_configuration(resolved.env.id, resolved.algo.name, kind, resolved.policy.kind);
  const Configuration bare =
      preset_configuration(resolved.env.id, resolved.algo.name, PresetKind::kNone, resolved.policy.kind);
  return std::ranges::all_of(differing_keys(whole, bare), [&](const std::string& key) {
    return key.starts_with("train.") || !has_effect(whole, key);
  });
}

/// What every setting of an arm takes; a comparison says itself how long its runs are.
Settings taken_by_all(PresetKind kind, std::span<const Configuration> configurations) {
  Settings common = taken(kind, configurations.front());
  std::erase_if(common, [](const std::string& setting) { return setting.starts_with("train."); });
  for (const Configuration& other : configurations.subspan(1)) {
    const Settings others = taken(kind, other);
    std::erase_if(common,
                  [&](const std::string& setting) { return std::ranges::find(others, setting) == others.end(); });
  }
  return common;
}

std::string source_of(PresetKind kind, const Configuration& resolved) {
  return find_preset(kind, resolved.env.id, resolved.algo.name).source;
}

/// Without settings it is one that says nothing but the bare defaults.
std::string line(const std::string& environment, const std::vector<std::string>& algorithms, const Settings& settings,
                 const std::string& source, std::string_view no_preset) {
  const std::string text =
      settings.empty() ? fmt::format("the same as the bare defaults ({})", source)
                       : fmt::format("{} ({}; {} for the bare defaults)", fmt::join(settings, " "), source, no_preset);
  return fmt::format("preset for {} on {}: {}", fmt::join(algorithms, ", "), environment, text);
}

}  // namespace

std::string preset_line(PresetKind kind, const Configuration& resolved, std::string_view no_preset) {
  const Settings settings = taken(kind, resolved);
  if (settings.empty() && !is_bare(kind, resolved)) return "";
  return line(resolved.env.id, {resolved.algo.name}, settings, source_of(kind, resolved), no_preset);
}

std::vector<std::string> preset_lines(PresetKind kind, std::span<const ArmUse> arms, std::string_view no_preset) {
  struct Group {
    std::string environment;
    Settings settings;
    std::string source;
    std::vector<std::string> labels;
  };
  std::vector<Group> groups;
  for (const ArmUse& arm : arms) {
    const std::string& environment = arm.configurations.front().env.id;
    const Settings settings = taken_by_all(kind, arm.configurations);
    if (settings.empty() && !is_bare(kind, arm.configurations.front())) continue;
    const std::string source = source_of(kind, arm.configurations.front());
    auto group = std::ranges::find_if(groups, [&](const Group& other) {
      return other.environment == environment && other.settings == settings && other.source == source;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{environment, settings, source, {}});
    group->labels.push_back(arm.plan.label);
  }
  std::vector<std::string> lines;
  for (const Group& group : groups) {
    lines.push_back(line(group.environment, group.labels, group.settings, group.source, no_preset));
  }
  return lines;
}

}  // namespace retropg
