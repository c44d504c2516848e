#pragma once

#include "retropg/core/types.hpp"

namespace retropg::app {

/// The number of threads for a --threads flag: 0 means all cores. Throws Error if it is out of range.
Index threads_of_flag(Index given);

}  // namespace retropg::app
