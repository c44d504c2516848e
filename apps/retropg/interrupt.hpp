#pragma once

namespace retropg::app {

/// From here on SIGINT and SIGTERM only leave a mark, so that a run can end between two iterations; a second one kills.
void watch_for_interrupts();

/// 0, or 128 + the number of the signal that came: the exit status for it.
int interrupt_status();

}  // namespace retropg::app
