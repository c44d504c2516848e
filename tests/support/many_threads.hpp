#pragma once

#include <oneapi/tbb/global_control.h>

namespace retropg::test {

/// Lets oneTBB start more threads than the machine has cores while it lives, so that "eight threads" are eight.
struct ManyThreads {
  oneapi::tbb::global_control limit{oneapi::tbb::global_control::max_allowed_parallelism, 16};
};

}  // namespace retropg::test
