#include "progress.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "retropg/core/types.hpp"
#include "say.hpp"
#include "terminal.hpp"

namespace retropg::app {
namespace {

constexpr std::chrono::milliseconds kRedraw{200}, kLine{10'000};

std::string duration(double seconds) {
  const auto whole = static_cast<Index>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

Progress::Progress()
    : terminal_(isatty(STDERR_FILENO) == 1), start_(Clock::now()), next_(start_ + (terminal_ ? kRedraw : kLine)) {}

void Progress::show(double share, const std::string& text) {
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left = share > 0.0 ? duration(elapsed * (1.0 - share) / share) : "?";
  const std::string line = fmt::format("{:3.0f} %  {}  ETA {}", 100.0 * share, text, left);
  if (terminal_) {
    // A line that is as long as the terminal is wide would not be overwritten by the next.
    show_on_stderr("\r\033[K" + line.substr(0, terminal_width(STDERR_FILENO).value_or(line.size() + 1) - 1));
    shown_ = true;
  } else {
    show_on_stderr(line + "\n");
  }
  next_ = now + (terminal_ ? kRedraw : kLine);
}

void Progress::finish() {
  if (shown_) show_on_stderr("\r\033[K");
  shown_ = false;
}

}  // namespace retropg::app
