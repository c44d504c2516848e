#pragma once

#include <atomic>
#include <functional>

#include "retropg/core/types.hpp"

namespace retropg {

/// Makes the ordering between a caller and its tasks explicit: tasks see what the caller wrote before `publish`, and
/// the caller sees what tasks wrote after `join`. oneTBB guarantees this too, but it is not instrumented, so without
/// this class the thread sanitizer would report false races.
class HandOver {
 public:
  void publish();
  void run(const std::function<void(Index, Index)>& body, Index first, Index last);
  void join();

 private:
  std::atomic<int> order_{0};
};

}  // namespace retropg
