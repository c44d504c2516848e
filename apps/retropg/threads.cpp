#include "threads.hpp"

#include <algorithm>
#include <thread>

#include "retropg/core/error.hpp"

namespace retropg::app {

Index thread_count(Index given) {
  require(given >= 0 && given <= 1024, "--threads must be a whole number from 0 to 1024, not " + std::to_string(given));
  return given > 0 ? given : std::max<Index>(1, static_cast<Index>(std::thread::hardware_concurrency()));
}

}  // namespace retropg::app
