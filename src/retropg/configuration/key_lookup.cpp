#include "retropg/configuration/key_lookup.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestQuote = 80;

template <class Container, class Name>
std::vector<std::string> names_of(const Container& items, Name name) {
  std::vector<std::string> names;
  for (const auto& item : items) names.emplace_back(name(item));
  return names;
}

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

using Renaming = std::pair<std::string_view, std::string_view>;

/// Keys that were renamed: the old name, the new one.
constexpr Renaming kRenamed[] = {
    {"algo.momentum", "algo.forgetting"},
    {"pois.centred", "pois.centered"},
    {"pois.self_normalised", "pois.self_normalized"},
    {"train.final_episodes", "train.confirm"},
};

/// What other programs call a key: the last part of their name, the key.
constexpr Renaming kHabits[] = {
    {"lr", "optimizer.rate"},
    {"learning_rate", "optimizer.rate"},
    {"step_size", "optimizer.rate"},
    {"timesteps", "train.steps"},
    {"total_timesteps", "train.steps"},
    {"n_timesteps", "train.steps"},
    {"num_timesteps", "train.steps"},
    {"max_steps", "train.steps"},
    {"epochs", "train.iterations"},
    {"n_epochs", "train.iterations"},
    {"episodes", "train.budget"},
    {"n_episodes", "train.budget"},
    {"eval_freq", "train.eval_every"},
    {"n_eval_episodes", "train.eval_episodes"},
    {"n_envs", "train.lanes"},
    {"num_envs", "train.lanes"},
    {"n_jobs", "train.threads"},
    {"num_threads", "train.threads"},
    {"batch_size", "algo.batch"},
    {"n_steps", "algo.batch"},
    {"algorithm", "algo.name"},
    {"net_arch", "policy.hidden"},
    {"gamma", "env.discount"},
    {"max_episode_steps", "env.horizon"},
    {"env_id", "env.id"},
    {"environment", "env.id"},
};

/// Empty if the table has no such name.
std::string_view renamed(std::span<const Renaming> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Renaming::first);
  return found == table.end() ? "" : found->second;
}

std::string_view known_elsewhere(std::string_view word) {
  std::string name(word);
  std::ranges::replace(name, '-', '_');
  return renamed(kHabits, name);
}

// The key that was probably meant: the same word in another section, else what other programs call so, else the nearest
// word in its section (the nearest full name if there is no such section), else the nearest word anywhere.
std::string nearest_key(std::string_view name) {
  const std::vector<std::string> keys = configuration_keys();
  const auto ending_in = [&keys](std::string_view word) -> std::string {
    const auto found = std::ranges::find_if(keys, [word](const std::string& key) { return last_part(key) == word; });
    return found == keys.end() ? "" : *found;
  };
  const std::string_view word = last_part(name);
  if (const std::string moved = ending_in(word); !moved.empty()) return moved;
  if (const std::string_view known = known_elsewhere(word); !known.empty()) return std::string(known);
  if (const SettingSection* section = find_section(name.substr(0, name.find('.')))) {
    const std::string near =
        closest(word, names_of(section->keys, [](const SettingKey& key) { return last_part(key.name); }));
    if (!near.empty()) return section->name + "." + near;
  } else if (const std::string near = closest(name, keys); !near.empty()) {
    return near;
  }
  return ending_in(closest(word, names_of(keys, last_part)));
}

}  // namespace

const SettingKey* find_key(std::string_view name) {
  for (const SettingSection& section : configuration_schema()) {
    for (const SettingKey& key : section.keys) {
      if (key.name == name) return &key;
    }
  }
  return nullptr;
}

const SettingSection* find_section(std::string_view name) {
  const std::vector<SettingSection>& sections = configuration_schema();
  const auto found = std::ranges::find(sections, name, &SettingSection::name);
  return found == sections.end() ? nullptr : &*found;
}

std::vector<std::string> section_names() {
  return names_of(configuration_schema(), [](const SettingSection& section) { return section.name; });
}

std::string_view renamed_key(std::string_view name) {
  return renamed(kRenamed, name);
}

std::string unknown_key_message(std::string_view name) {
  if (const std::string_view now = renamed_key(name); !now.empty()) {
    return fmt::format("key '{}' is now called '{}'", name, now);
  }
  const std::string text = fmt::format("unknown key '{}'", one_line(name, kLongestQuote));
  const std::string near = nearest_key(name);
  if (!near.empty()) return fmt::format("{}; did you mean '{}'?", text, near);
  const SettingSection* section = find_section(name.substr(0, name.find('.')));
  if (section == nullptr) {
    const std::string near_section = closest(name, section_names());
    return near_section.empty() ? fmt::format("{} (known sections: {})", text, fmt::join(section_names(), ", "))
                                : fmt::format("{}; did you mean the section '{}'?", text, near_section);
  }
  const auto names = names_of(section->keys, [section](const SettingKey& key) { return section->short_name(key); });
  return fmt::format("{} (known in [{}]: {})", text, section->name, fmt::join(names, ", "));
}

}  // namespace retropg
