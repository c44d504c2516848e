#include "configuration_flags.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"

namespace retropg::app {
namespace {

constexpr std::size_t kLongestQuote = 80;

}  // namespace

Given given(const ConfigurationFlags& flags) {
  Given result{.file = flags.config, .settings = flags.settings};
  const auto add = [&](const char* flag, const char* key, const auto& value) {
    if (value) result.flags.push_back({flag, key, fmt::format("{}", *value)});
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
  if (flags.preset) {
    result.preset = preset_kind_named(*flags.preset);
    require(result.preset.has_value(),
            fmt::format("--preset must be own, paper or none, not '{}'", one_line(*flags.preset, kLongestQuote)));
  }
  return result;
}

std::string preset_line(PresetKind kind, const Configuration& resolved) {
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

}  // namespace retropg::app
