#pragma once

#include <string>
#include <string_view>

#include "retropg/core/archive.hpp"

namespace retropg {

/// Everything that a loop of ask and tell needs to go on elsewhere.
struct SavedAgent {
  std::string configuration;  // TOML
  std::string version{};      // of the library, and the instruction set in use; `to_bytes` writes its own
  std::string simd{};
  SavedState state{};
};

/// The bytes of a file; docs/files.md describes it.
std::string to_bytes(const SavedAgent& agent);

/// Throws an Error that names the file and what is wrong with it.
SavedAgent parse_agent(std::string_view bytes, const std::string& name);

}  // namespace retropg
