#pragma once

#include <chrono>
#include <string>

namespace retropg::app {

/// Progress on stderr, with the estimated time left. On a terminal: one line, updated a few times per second.
/// Otherwise: a plain line every ten seconds.
class Progress {
 public:
  Progress();
  ~Progress() { finish(); }  // so that an error message starts on a new line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Whether it is time to call `show`. Cheap enough to call every iteration.
  bool due() const { return Clock::now() >= next_; }
  /// `share` is the part of the work that is done, from 0 to 1.
  void show(double share, const std::string& text);
  /// Clears the line on the terminal.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  Clock::time_point start_, next_;
  bool shown_ = false;
};

}  // namespace retropg::app
