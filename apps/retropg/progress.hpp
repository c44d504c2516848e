#pragma once

#include <chrono>
#include <string>

#include "retropg/core/types.hpp"

namespace retropg::app {

/// Progress on stderr. On a terminal: one line with the estimated time left, updated a few times per second. Otherwise:
/// one plain line per tenth of the work.
class Progress {
 public:
  Progress();
  ~Progress() { finish(); }  // so that an error message starts on a new line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Whether it is time to call `show`. Cheap enough to call every iteration.
  bool due(Index done, Index total);
  void show(Index done, Index total, const std::string& text);
  /// Clears the line on the terminal.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_, next_;
  bool terminal_;
  Index tenths_ = 0;
  bool shown_ = false;
};

}  // namespace retropg::app
