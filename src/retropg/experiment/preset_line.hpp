#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/configuration/preset.hpp"
#include "retropg/experiment/given_setting.hpp"

namespace retropg {

/// One line about the settings that come from a preset and are not the user's, or that it has none but the bare
/// defaults; empty without a preset, and if all of its settings are the user's. `no_preset` is how to ask for none.
std::string preset_line(PresetKind kind, const Configuration& resolved, std::string_view no_preset);

/// The same for the arms of a comparison: one line for all that take the same.
std::vector<std::string> preset_lines(PresetKind kind, std::span<const ArmUse> arms, std::string_view no_preset);

}  // namespace retropg
