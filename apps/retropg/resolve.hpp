#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/configuration/configuration.hpp"

namespace retropg::app {

/// Flags that set configuration keys.
struct ConfigurationFlags {
  std::optional<std::string> config, env, algo, window;
  std::optional<Index> batch, iterations, budget, seed, threads;
  std::vector<std::string> settings;  // --set key=value
};

/// The configuration; precedence is defaults < file < flags < --set. Aliases become canonical names.
Configuration resolve(const ConfigurationFlags& flags);

}  // namespace retropg::app
