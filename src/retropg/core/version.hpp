#pragma once

#include <string>

namespace retropg {

/// "0.1.0"
std::string version();
/// Name and version of the compiler that built the library.
std::string compiler();

}  // namespace retropg
