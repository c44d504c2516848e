#include "resolve.hpp"

#include <fmt/format.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/one_line.hpp"
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

}  // namespace

Configuration resolve(const ConfigurationFlags& flags) {
  Configuration configuration;
  if (flags.config) apply_file(configuration, *flags.config);
  for (const FlagValue& given : given_flags(flags)) apply_flag(configuration, given);
  for (const std::string& setting : flags.settings) apply_setting(configuration, setting);
  return canonical(configuration);
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
