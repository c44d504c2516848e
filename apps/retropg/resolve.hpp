#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/configuration/preset.hpp"
#include "retropg/experiment/given_setting.hpp"

namespace retropg::app {

/// Flags that set configuration keys.
struct ConfigurationFlags {
  std::optional<std::string> config, env, policy, algo, window, preset;
  std::optional<Index> batch, iterations, budget, steps, seed, threads;
  std::vector<std::string> settings;  // --set key=value
};

/// The presets that the flags ask for: none with a file, else the environment's own, unless --preset says otherwise.
PresetKind preset_kind(const ConfigurationFlags& flags);

/// The configuration; precedence is defaults < preset < file < flags < --set. Aliases become canonical names.
Configuration resolve(const ConfigurationFlags& flags);

/// What all arms of a comparison share: the same without what a preset says of an algorithm.
Configuration resolve_shared(const ConfigurationFlags& flags);

/// What the preset says of an arm's algorithm, and neither the user nor the arm.
std::vector<std::string> preset_of_arm(const ConfigurationFlags& flags, const ArmPlan& arm);

/// One line about the settings that come from a preset and are not the user's; empty if there are none.
std::string preset_line(const ConfigurationFlags& flags, const Configuration& resolved);

/// The keys that the user gave, without those of the file: a file may serve several algorithms.
std::vector<GivenSetting> given_settings(const ConfigurationFlags& flags);

}  // namespace retropg::app
