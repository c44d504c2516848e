#pragma once

#include <string>

#include "retropg/core/types.hpp"

namespace retropg::app {

/// "1 run", "2 runs", "0 trajectories".
std::string count_text(Index count, const std::string& noun);

}  // namespace retropg::app
