#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/configuration/preset.hpp"
#include "retropg/experiment/given_setting.hpp"

namespace retropg {

/// The name of an environment that the caller hands over, and what kind of policy it needs.
struct HandedOver {
  std::string id;
  bool discrete = false;  // its actions
};

/// What a user gave for a run, on the command line or from Python.
struct Given {
  std::optional<PresetKind> preset{};       // unset: see `preset_kind`
  std::optional<std::string> file{};        // TOML
  std::vector<FlagValue> flags{};           // later ones override earlier ones
  std::vector<std::string> settings{};      // of --set: key=value
  std::optional<HandedOver> environment{};  // instead of any that is named
};

/// "own", "paper" or "none", in any case of the letters; nothing for another word.
std::optional<PresetKind> preset_kind_named(const std::string& name);

/// The presets that are asked for: none with a file, else the environment's own, unless the user says otherwise.
PresetKind preset_kind(const Given& given);

/// The configuration; precedence is defaults < preset < file < flags < --set. Aliases become canonical names.
Configuration resolve(const Given& given);

/// What all arms of a comparison share: the same without what a preset says of an algorithm.
Configuration resolve_shared(const Given& given);

/// What the preset says of an arm's algorithm, and neither the user nor the arm.
std::vector<std::string> preset_of_arm(const Given& given, const ArmPlan& arm);

/// The keys that the user gave, without those of the file: a file may serve several algorithms.
std::vector<GivenSetting> given_settings(const Given& given);

}  // namespace retropg
