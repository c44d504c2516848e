#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "wrap.hpp"

namespace retropg::app {

std::optional<std::size_t> terminal_width(int descriptor) {
  winsize size{};
  if (isatty(descriptor) != 1 || ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::size_t output_width() {
  return terminal_width(STDOUT_FILENO).value_or(kAnyWidth);
}

}  // namespace retropg::app
