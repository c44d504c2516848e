#pragma once

#include <map>
#include <string>

namespace retropg {

/// The files models/FILE.xml by "FILE", compiled into the library.
const std::map<std::string, std::string>& model_files();

}  // namespace retropg
