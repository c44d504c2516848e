#include "say.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "retropg/core/one_line.hpp"
#include "retropg/core/printable.hpp"

namespace retropg::app {

constexpr std::size_t kLongestMessage = 600;

void say(const std::string& text) {
  show_on_stderr("retropg: " + one_line(text, kLongestMessage) + "\n");
}

void show_on_stdout(std::string_view text) {
  const std::string shown = printable(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);  // main checks for errors
}

void show_on_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(STDERR_FILENO, text.data(), text.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace retropg::app
