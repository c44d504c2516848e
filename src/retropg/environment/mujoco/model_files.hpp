#pragma once

#include <map>
#include <string>

namespace retropg {

/// The text of models/NAME.xml by "NAME"; compiled into the library.
const std::map<std::string, std::string>& model_files();

}  // namespace retropg
