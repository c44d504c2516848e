#pragma once

#include "retropg/core/types.hpp"

namespace retropg::app {

/// The number a --threads flag stands for: 0 is all cores. Throws Error if it is out of range.
Index threads_of_flag(Index given);

}  // namespace retropg::app
