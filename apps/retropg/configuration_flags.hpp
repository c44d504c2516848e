#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/experiment/resolve.hpp"

namespace retropg::app {

/// Flags that set configuration keys.
struct ConfigurationFlags {
  std::optional<std::string> config, env, policy, algo, window, preset;
  std::optional<Index> batch, iterations, budget, steps, seed, threads;
  std::vector<std::string> settings;  // --set key=value
};

/// What the user gave. Throws Error if there is no such preset.
Given given(const ConfigurationFlags& flags);

/// One line about the settings that come from a preset and are not the user's; empty if there are none.
std::string preset_line(PresetKind kind, const Configuration& resolved);

}  // namespace retropg::app
