#include "progress.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "say.hpp"

namespace retropg::app {
namespace {

constexpr std::chrono::milliseconds kInterval{200};

std::string duration(double seconds) {
  const auto whole = static_cast<Index>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

Progress::Progress() : start_(Clock::now()), next_(start_ + kInterval), terminal_(isatty(STDERR_FILENO) == 1) {}

bool Progress::due(Index done, Index total) {
  if (terminal_) return Clock::now() >= next_;
  return total > 0 && done * 10 / total > tenths_;
}

void Progress::show(Index done, Index total, const std::string& text) {
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0.0;
  const std::string left = share > 0.0 ? duration(elapsed * (1.0 - share) / share) : "?";
  if (terminal_) {
    show_on_stderr(fmt::format("\r\033[K{:3.0f} %  {}  ETA {}", 100.0 * share, text, left));
    shown_ = true;
  } else {
    show_on_stderr(fmt::format("{:3.0f} %  {}  ETA {}\n", 100.0 * share, text, left));
  }
  next_ = now + kInterval;
  tenths_ = total > 0 ? done * 10 / total : 0;
}

void Progress::finish() {
  if (shown_) show_on_stderr("\r\033[K");
  shown_ = false;
}

}  // namespace retropg::app
