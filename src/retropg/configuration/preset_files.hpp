#pragma once

#include <map>
#include <string>

namespace retropg {

/// The files of the presets folder by name: "any", and environments with settings of their own.
const std::map<std::string, std::string>& preset_files();

}  // namespace retropg
