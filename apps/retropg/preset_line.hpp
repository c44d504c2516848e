#pragma once

#include <span>
#include <string>
#include <vector>

#include "retropg/configuration/preset.hpp"
#include "retropg/experiment/given_setting.hpp"

namespace retropg::app {

/// One line about the settings that come from a preset and are not the user's, or that it has none but the bare
/// defaults; empty without a preset, and if all of its settings are the user's.
std::string preset_line(PresetKind kind, const Configuration& resolved);

/// The same for the arms of a comparison: one line for all that take the same.
std::vector<std::string> preset_lines(PresetKind kind, std::span<const ArmUse> arms);

}  // namespace retropg::app
