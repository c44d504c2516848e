#pragma once

#include <filesystem>

namespace retropg::test {

/// The folder of the sources, for recorded files and documents. Its definition is generated: only that file knows the
/// path, so that a second checkout can share the compiler cache for all others.
std::filesystem::path source_folder();

}  // namespace retropg::test
