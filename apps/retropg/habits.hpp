#pragma once

#include <optional>
#include <span>
#include <string>

namespace retropg::app {

/// How a flag that other programs have is written here, given the flags that the command has: for "--lr"
/// "--set optimizer.rate=VALUE". Nothing if no other program is known to have it.
std::optional<std::string> written_here(const std::string& flag, std::span<const std::string> known);

}  // namespace retropg::app
