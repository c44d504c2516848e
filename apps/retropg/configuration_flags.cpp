#include "configuration_flags.hpp"

#include <fmt/format.h>

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
  add("--confirm", "train.confirm", flags.confirm);
  if (flags.until_solved) result.flags.push_back({"--until-solved", "train.until_solved", "true"});
  add("--seed", "train.seed", flags.seed);
  add("--threads", "train.threads", flags.threads);
  if (flags.preset) {
    result.preset = preset_kind_named(*flags.preset);
    require(result.preset.has_value(),
            fmt::format("--preset must be own, paper or none, not '{}'", one_line(*flags.preset, kLongestQuote)));
  }
  return result;
}

}  // namespace retropg::app
