#pragma once

#include <string>

namespace retropg::python {

/// Passes a line on to Python's logger "retropg". Takes the lock of the interpreter.
void log_warning(const std::string& line);

}  // namespace retropg::python
