#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/configuration/configuration.hpp"

namespace retropg::app {

/// The flags that stand for keys of the configuration.
struct ConfigurationFlags {
  std::optional<std::string> config, env, algo, window;
  std::optional<Index> batch, iterations, budget, seed, threads;
  std::vector<std::string> settings;  // --set key=value
};

/// Defaults < file < flags < --set; a name may be an alias.
Configuration resolve(const ConfigurationFlags& flags);

}  // namespace retropg::app
