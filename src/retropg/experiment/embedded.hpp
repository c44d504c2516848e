#pragma once

#include <map>
#include <string>

namespace retropg {

/// The files experiments/FOLDER/FILE.toml by "FOLDER/FILE", compiled into the library.
const std::map<std::string, std::string>& embedded_experiments();

}  // namespace retropg
