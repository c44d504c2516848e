#pragma once

#include <string>

namespace retropg::python {

/// Pass a line on to Python's logger "retropg", unless it is empty. Take the lock of the interpreter.
void log_warning(const std::string& line);
void log_info(const std::string& line);

}  // namespace retropg::python
