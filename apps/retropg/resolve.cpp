#include "resolve.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/experiment/item_list.hpp"
#include "retropg/storage/configuration_file.hpp"

namespace retropg::app {
namespace {

constexpr std::size_t kLongestQuote = 80;

/// The flags that are given, without --set.
std::vector<FlagValue> given_flags(const ConfigurationFlags& flags) {
  std::vector<FlagValue> result;
  const auto add = [&](const char* flag, const char* key, const auto& value) {
    if (value) result.push_back({flag, key, fmt::format("{}", *value)});
  };
  add("--env", "env.id", flags.env);
  add("--policy", "policy.kind", flags.policy);
  add("--algo", "algo.name", flags.algo);
  add("--batch", "algo.batch", flags.batch);
  add("--window", "algo.window", flags.window);
  add("--iterations", "train.iterations", flags.iterations);
  add("--budget", "train.budget", flags.budget);
  add("--steps", "train.steps", flags.steps);
  add("--seed", "train.seed", flags.seed);
  add("--threads", "train.threads", flags.threads);
  return result;
}

void apply_given(Configuration& configuration, const ConfigurationFlags& flags) {
  if (flags.config) apply_file(configuration, *flags.config);
  for (const FlagValue& given : given_flags(flags)) apply_flag(configuration, given);
  for (const std::string& setting : flags.settings) apply_setting(configuration, setting);
}

/// Whether a user who gives these keys has said what a setting of the preset says: the variance of what this
/// configuration draws takes the place of a width.
bool is_said(const std::string& setting, const std::vector<std::string>& given, const Configuration& configuration) {
  const auto gives = [&given](const std::string& key) { return std::ranges::find(given, key) != given.end(); };
  const std::string key = key_of(setting);
  if (key != "policy.width") return gives(key);
  const bool actions = exploration_of(canonical(configuration)) == Exploration::kActions;
  return gives(key) || gives(actions ? "policy.variance" : "hyperpolicy.variance");
}

std::vector<std::string> given_keys(const ConfigurationFlags& flags) {
  std::vector<std::string> keys;
  for (const GivenSetting& setting : given_settings(flags)) keys.push_back(setting.key);
  return keys;
}

constexpr Index kFinalShare = 10;  // the episodes at the end that a preset asks for are at most a tenth of the budget

/// The settings of a preset, then what the user gave. A length of the run that the user gives takes the place of the
/// preset's, of whatever kind.
void apply_layers(Configuration& configuration, const std::vector<std::string>& preset,
                  const ConfigurationFlags& flags) {
  const std::vector<std::string> keys = given_keys(flags);
  Configuration given;
  given.algo.name = configuration.algo.name;
  apply_given(given, flags);
  for (const std::string& setting : preset) {
    if (!is_said(setting, keys, given)) apply_setting(configuration, setting);
  }
  if (given.train.budget > 0 || given.train.steps > 0 || given.train.iterations) {
    configuration.train.budget = 0;
    configuration.train.iterations.reset();
  }
  if (given.train.budget > 0) {
    Index& episodes = configuration.train.final_episodes;
    episodes = std::min(episodes, given.train.budget / kFinalShare);
  }
  apply_given(configuration, flags);
}

/// The names that decide which preset lies under everything else.
struct Names {
  std::string environment, algorithm;  // the algorithm is empty if none is given
};

Names names_given(const ConfigurationFlags& flags) {
  Configuration given;
  given.algo.name.clear();
  apply_given(given, flags);
  return {.environment = given.env.id, .algorithm = given.algo.name};
}

bool of_environment(const std::string& setting) {
  return setting.starts_with("env.");
}

}  // namespace

PresetKind preset_kind(const ConfigurationFlags& flags) {
  if (!flags.preset) return flags.config ? PresetKind::kNone : PresetKind::kOwn;
  const std::string& name = *flags.preset;
  if (same_name(name, "none")) return PresetKind::kNone;
  if (same_name(name, "paper")) return PresetKind::kPaper;
  require(same_name(name, "own"),
          fmt::format("--preset must be own, paper or none, not '{}'", one_line(name, kLongestQuote)));
  return PresetKind::kOwn;
}

Configuration resolve(const ConfigurationFlags& flags) {
  const Names names = names_given(flags);
  const Preset preset = find_preset(preset_kind(flags), names.environment, names.algorithm);
  Configuration configuration;
  configuration.algo.name = preset.algorithm;
  apply_layers(configuration, preset.settings, flags);
  return canonical(configuration);
}

Configuration resolve_shared(const ConfigurationFlags& flags) {
  require(preset_kind(flags) == PresetKind::kNone || !flags.config,
          "a comparison takes --config or a preset, not both: leave out --preset, or say --preset none");
  Configuration configuration;
  std::vector<std::string> shared;
  for (const std::string& setting : find_preset(preset_kind(flags), names_given(flags).environment).settings) {
    if (of_environment(setting)) shared.push_back(setting);
  }
  apply_layers(configuration, shared, flags);
  return canonical(configuration);
}

std::vector<std::string> preset_of_arm(const ConfigurationFlags& flags, const ArmPlan& arm) {
  std::vector<std::string> keys = given_keys(flags);
  const std::string& first = arm.settings.front();  // names the algorithm
  const std::string algorithm = first.substr(first.find('=') + 1);
  Configuration asked;
  apply_given(asked, flags);
  asked.algo.name = algorithm;
  for (const std::string& setting : arm.settings) {
    keys.push_back(key_of(setting));
    if (keys.back() == "policy.exploration") apply_setting(asked, setting);
  }
  std::vector<std::string> open;
  for (const std::string& setting :
       find_preset(preset_kind(flags), names_given(flags).environment, algorithm).settings) {
    if (of_environment(setting) || setting.starts_with("train.") || is_said(setting, keys, asked)) continue;
    open.push_back(setting);
  }
  return open;
}

std::string preset_line(const ConfigurationFlags& flags, const Configuration& resolved) {
  const PresetKind kind = preset_kind(flags);
  const Preset preset = find_preset(kind, resolved.env.id, resolved.algo.name);
  const Configuration whole = preset_configuration(resolved.env.id, resolved.algo.name, kind);
  const std::vector<std::string> changed = differing_keys(whole, resolved);
  std::vector<std::string> taken;
  const Configuration bare = preset_configuration(resolved.env.id, resolved.algo.name, PresetKind::kNone);
  for (const std::string& key : differing_keys(whole, bare)) {
    if (!has_effect(resolved, key)) continue;
    if (std::ranges::find(changed, key) == changed.end()) taken.push_back(key + "=" + setting_text(resolved, key));
  }
  if (taken.empty()) return "";
  return fmt::format("preset for {} on {}: {} ({}; --preset none for the bare defaults)", resolved.algo.name,
                     resolved.env.id, fmt::join(taken, " "), preset.source);
}

std::vector<GivenSetting> given_settings(const ConfigurationFlags& flags) {
  std::vector<GivenSetting> result;
  for (const FlagValue& given : given_flags(flags)) {
    result.push_back({.text = given.flag + " " + given.value, .key = given.key});
  }
  for (const std::string& setting : flags.settings) {
    result.push_back({.text = "--set " + one_line(setting, kLongestQuote), .key = key_of(setting)});
  }
  return result;
}

}  // namespace retropg::app
