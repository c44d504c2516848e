#include "threads.hpp"

#include "retropg/core/error.hpp"
#include "retropg/parallel/workers.hpp"

namespace retropg::app {

Index threads_of_flag(Index given) {
  require(given >= 0 && given <= 1024, "--threads must be a whole number from 0 to 1024, not " + std::to_string(given));
  const Index threads = retropg::thread_count(given);
  const Workers start(threads);  // throws if they cannot be started: before anything is created
  return threads;
}

}  // namespace retropg::app
