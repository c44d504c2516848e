#pragma once

#include <optional>
#include <string_view>

#include "retropg/core/types.hpp"

namespace retropg {

/// Each part of a dotted key or table name is a nested table, which the TOML parser handles by recursion.
inline constexpr Index kMostKeyParts = 16;

/// The line, from 1, of the first key or table name with more parts than that.
std::optional<Index> line_of_deep_key(std::string_view toml);

}  // namespace retropg
