#pragma once

#include <cstddef>

namespace retropg::test {

/// Measures how much more memory than at its construction was in use at once, in this thread. Zero in a build with
/// sanitizers, which bring their own allocation functions.
class PeakMemory {
 public:
  PeakMemory();
  std::size_t bytes() const;

 private:
  std::ptrdiff_t before_;
};

}  // namespace retropg::test
