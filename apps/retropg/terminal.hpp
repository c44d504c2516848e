#pragma once

#include <cstddef>
#include <optional>

namespace retropg::app {

/// The columns of the terminal that a descriptor is open on; nothing if it is not open on one.
std::optional<std::size_t> terminal_width(int descriptor);

/// How wide text on stdout may be: any width without a terminal.
std::size_t output_width();

}  // namespace retropg::app
