#include "interrupt.hpp"

#include <csignal>

namespace retropg::app {
namespace {

volatile std::sig_atomic_t received = 0;

void mark(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void watch_for_interrupts() {
  std::signal(SIGINT, mark);
  std::signal(SIGTERM, mark);
}

int interrupt_status() {
  return received == 0 ? 0 : 128 + received;
}

}  // namespace retropg::app
