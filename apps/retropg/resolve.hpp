#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/experiment/given_setting.hpp"

namespace retropg::app {

/// Flags that set configuration keys.
struct ConfigurationFlags {
  std::optional<std::string> config, env, policy, algo, window;
  std::optional<Index> batch, iterations, budget, steps, seed, threads;
  std::vector<std::string> settings;  // --set key=value
};

/// The configuration; precedence is defaults < file < flags < --set. Aliases become canonical names.
Configuration resolve(const ConfigurationFlags& flags);

/// The keys that the user gave, without those of the file: a file may serve several algorithms.
std::vector<GivenSetting> given_settings(const ConfigurationFlags& flags);

}  // namespace retropg::app
