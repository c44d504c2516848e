#include "retropg/experiment/resolve.hpp"

#include <algorithm>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/experiment/item_list.hpp"
#include "retropg/storage/configuration_file.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestQuote = 80;

void apply_given(Configuration& configuration, const Given& given) {
  if (given.file) apply_file(configuration, *given.file);
  for (const FlagValue& flag : given.flags) apply_flag(configuration, flag);
  for (const std::string& setting : given.settings) apply_setting(configuration, setting);
  if (given.environment) configuration.env.id = given.environment->id;
}

void require_one_environment(const Given& given) {
  if (!given.environment) return;
  for (const GivenSetting& setting : given_settings(given)) {
    require(setting.key != "env.id", setting.text + ": the environment is handed over: leave env.id out");
  }
}

/// Only who hands an environment over knows which policy it needs.
Configuration canonical_for(const Given& given, Configuration configuration) {
  if (given.environment && !configuration.policy.kind) {
    configuration.policy.kind = default_policy(given.environment->discrete);
  }
  return canonical(std::move(configuration));
}

/// What the user asked for, without defaults of the variances: they are empty unless a file, a flag or a setting gives
/// them.
Configuration asked_for(const Given& given, const std::string& algorithm = {}) {
  Configuration asked;
  if (!algorithm.empty()) asked.algo.name = algorithm;
  asked.policy.variance.clear();
  asked.hyperpolicy.variance.clear();
  apply_given(asked, given);
  return asked;
}

/// Whether a user who gives these keys, and asked for this, has said what a setting of the preset says: the variance of
/// what is drawn takes the place of a width.
bool is_said(const std::string& setting, const std::vector<std::string>& given, const Configuration& asked) {
  const std::string key = key_of(setting);
  if (std::ranges::find(given, key) != given.end()) return true;
  if (key != "policy.width") return false;
  const bool actions = exploration_of(canonical(asked)) == Exploration::kActions;
  return !(actions ? asked.policy.variance : asked.hyperpolicy.variance).empty();
}

std::vector<std::string> given_keys(const Given& given) {
  std::vector<std::string> keys;
  for (const GivenSetting& setting : given_settings(given)) keys.push_back(setting.key);
  return keys;
}

/// The settings of a preset, then what the user gave. A length of the run that the user gives takes the place of the
/// preset's, of whatever kind.
void apply_layers(Configuration& configuration, const std::vector<std::string>& preset, const Given& given) {
  const std::vector<std::string> keys = given_keys(given);
  const Configuration asked = asked_for(given, configuration.algo.name);
  for (const std::string& setting : preset) {
    if (!is_said(setting, keys, asked)) apply_setting(configuration, setting);
  }
  if (asked.train.budget > 0 || asked.train.steps > 0 || asked.train.iterations) {
    configuration.train.budget = 0;
    configuration.train.iterations.reset();
  }
  apply_given(configuration, given);
}

/// The names that decide which preset lies under everything else.
struct Names {
  std::string environment, algorithm;  // the algorithm is empty if none is given
  std::optional<std::string> policy;
};

Names names_given(const Given& given) {
  require_one_environment(given);
  Configuration asked;
  asked.algo.name.clear();
  apply_given(asked, given);
  return {.environment = asked.env.id, .algorithm = asked.algo.name, .policy = asked.policy.kind};
}

bool of_environment(const std::string& setting) {
  return setting.starts_with("env.");
}

}  // namespace

std::optional<PresetKind> preset_kind_named(const std::string& name) {
  if (same_name(name, "none")) return PresetKind::kNone;
  if (same_name(name, "paper")) return PresetKind::kPaper;
  if (same_name(name, "own")) return PresetKind::kOwn;
  return std::nullopt;
}

PresetKind preset_kind(const Given& given) {
  return given.preset.value_or(given.file ? PresetKind::kNone : PresetKind::kOwn);
}

Configuration resolve(const Given& given) {
  const Names names = names_given(given);
  const Preset preset = find_preset(preset_kind(given), names.environment, names.algorithm, names.policy);
  Configuration configuration;
  configuration.algo.name = preset.algorithm;
  apply_layers(configuration, preset.settings, given);
  return canonical_for(given, configuration);
}

Configuration resolve_shared(const Given& given) {
  Configuration configuration;
  std::vector<std::string> shared;
  for (const std::string& setting : find_preset(preset_kind(given), names_given(given).environment).settings) {
    if (of_environment(setting)) shared.push_back(setting);
  }
  apply_layers(configuration, shared, given);
  return canonical_for(given, configuration);
}

std::vector<std::string> preset_of_arm(const Given& given, const ArmPlan& arm) {
  std::vector<std::string> keys = given_keys(given);
  const std::string& first = arm.settings.front();  // names the algorithm
  const std::string algorithm = first.substr(first.find('=') + 1);
  Configuration asked = asked_for(given);
  asked.algo.name = algorithm;
  for (const std::string& setting : arm.settings) {
    keys.push_back(key_of(setting));
    const bool decides = keys.back() == "policy.exploration" || keys.back() == "policy.kind";  // what the preset says
    if (decides || keys.back().ends_with(".variance")) apply_setting(asked, setting);
  }
  std::vector<std::string> open;
  for (const std::string& setting :
       find_preset(preset_kind(given), names_given(given).environment, algorithm, asked.policy.kind).settings) {
    if (of_environment(setting) || setting.starts_with("train.") || is_said(setting, keys, asked)) continue;
    open.push_back(setting);
  }
  return open;
}

std::vector<GivenSetting> given_settings(const Given& given) {
  std::vector<GivenSetting> result;
  for (const FlagValue& flag : given.flags) {
    result.push_back({.text = flag.flag + " " + flag.value, .key = flag.key});
  }
  for (const std::string& setting : given.settings) {
    result.push_back({.text = "--set " + one_line(setting, kLongestQuote), .key = key_of(setting)});
  }
  return result;
}

}  // namespace retropg
