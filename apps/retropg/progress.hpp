#pragma once

#include <chrono>
#include <string>

#include "retropg/core/types.hpp"

namespace retropg::app {

/// Progress on stderr: one line with the expected time left on a terminal, rewritten a few times a second; otherwise a
/// plain line at every tenth of the work.
class Progress {
 public:
  Progress();
  ~Progress() { finish(); }  // so that an error starts on a line of its own
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// True now and then: the moment to call `show`. Cheap enough for every iteration.
  bool due(Index done, Index total);
  void show(Index done, Index total, const std::string& text);
  /// Leaves the terminal's line clean.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_, next_;
  bool terminal_;
  Index tenths_ = 0;
  bool shown_ = false;
};

}  // namespace retropg::app
