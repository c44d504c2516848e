#pragma once

#include <cstddef>

#include "retropg/core/types.hpp"

namespace retropg {

/// Throws if `threads` threads with stacks of this many bytes cannot run at the same time, the caller's among them.
/// oneTBB starts its threads when there is work, and ends the process if it cannot.
void require_threads(Index threads, std::size_t stack_bytes);

}  // namespace retropg
