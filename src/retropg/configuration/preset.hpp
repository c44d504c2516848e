#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/configuration/configuration.hpp"

namespace retropg {

/// Where settings come from that the user leaves open: the bare defaults, settings that suit the environment and the
/// algorithm (the presets folder), or those of the paper.
enum class PresetKind { kNone, kOwn, kPaper };

struct Preset {
  std::string algorithm;              // canonical name
  std::string source;                 // where the numbers come from, one line
  std::vector<std::string> settings;  // "optimizer.rate=0.03", to be applied in this order
};

/// The preset of an environment for an algorithm; names in any spelling, an empty one for the algorithm that suits the
/// environment best, no policy for the environment's default. Throws Error for an unknown name, and if the paper has no
/// settings for the environment.
Preset find_preset(PresetKind kind, const std::string& environment, const std::string& algorithm = "",
                   const std::optional<std::string>& policy = {});

/// A configuration that begins with a preset, for programs; change it as you like.
Configuration preset_configuration(const std::string& environment, const std::string& algorithm = "",
                                   PresetKind kind = PresetKind::kOwn, const std::optional<std::string>& policy = {});

/// The environments that the paper has settings for, in the order of `retropg list`.
std::vector<std::string> environments_of_the_paper();

}  // namespace retropg
