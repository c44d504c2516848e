#pragma once

#include <map>
#include <string>

namespace retropg {

/// The text of experiments/FOLDER/FILE.toml by "FOLDER/FILE"; compiled into the library.
const std::map<std::string, std::string>& experiment_files();

}  // namespace retropg
