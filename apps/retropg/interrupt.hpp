#pragma once

#include <string>

namespace retropg::app {

/// From now on a signal that asks the program to end (SIGINT, SIGTERM, SIGXCPU, and SIGHUP unless it was ignored, as
/// under nohup) only sets a flag, however often it arrives, so that a run can stop between two iterations and save.
/// SIGUSR1 asks for saving without an end.
void watch_for_signals();

/// From now on a closed pipe or a limit on file sizes (SIGPIPE, SIGXFSZ) makes a write fail instead of ending the
/// program.
void ignore_signals_of_writes();

/// The exit status: 0, or 128 + the number of the first signal that asked for the end.
int interrupt_status();

/// The name of that signal, such as SIGINT; empty if there was none.
std::string interrupt_name();

/// Whether SIGUSR1 arrived since the last call.
bool save_requested();

}  // namespace retropg::app
