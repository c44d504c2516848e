#pragma once

namespace retropg::app {

/// From now on SIGINT and SIGTERM only set a flag, so that a run can stop between two iterations; a second signal kills
/// the process.
void watch_for_interrupts();

/// The exit status: 0, or 128 + the number of the signal received.
int interrupt_status();

}  // namespace retropg::app
