#include "resolve.hpp"

#include <fmt/format.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/storage/configuration_file.hpp"

namespace retropg::app {

Configuration resolve(const ConfigurationFlags& flags) {
  Configuration configuration;
  if (flags.config) apply_file(configuration, *flags.config);
  const auto flag = [&](const char* key, const auto& value) {
    if (value) apply_setting(configuration, fmt::format("{}={}", key, *value));
  };
  flag("env.id", flags.env);
  flag("algo.name", flags.algo);
  flag("algo.batch", flags.batch);
  flag("algo.window", flags.window);
  flag("train.iterations", flags.iterations);
  flag("train.budget", flags.budget);
  flag("train.seed", flags.seed);
  flag("train.threads", flags.threads);
  for (const std::string& setting : flags.settings) apply_setting(configuration, setting);
  return canonical(configuration);
}

}  // namespace retropg::app
