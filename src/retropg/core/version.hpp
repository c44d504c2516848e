#pragma once

#include <string>

namespace retropg {

/// "0.1.0"
std::string version();
/// The commit that the library was built from, with "-dirty" if files were changed; empty if that is not known. The
/// build writes it (cmake/commit.cmake).
std::string commit();
/// Name and version of the compiler that built the library.
std::string compiler();

}  // namespace retropg
