#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/experiment/resolve.hpp"

namespace retropg::app {

/// Flags that set configuration keys.
struct ConfigurationFlags {
  std::optional<std::string> config, env, policy, algo, window, confirm, preset;
  std::optional<Index> batch, iterations, budget, steps, seed, threads;
  bool until_solved = false;
  std::vector<std::string> settings;  // --set key=value
};

/// What the user gave. Throws Error if there is no such preset.
Given given(const ConfigurationFlags& flags);

}  // namespace retropg::app
