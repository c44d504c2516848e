#pragma once

#include <atomic>
#include <functional>

#include "retropg/core/types.hpp"

namespace retropg {

/// Makes the order between a caller and its tasks visible: what the caller wrote before `publish` is seen by every
/// task, and what tasks wrote is seen after `join`. The scheduler guarantees it too, but it is a library that the
/// thread sanitizer cannot look into, and without this it would report races that are not there.
class HandOver {
 public:
  void publish();
  void run(const std::function<void(Index, Index)>& body, Index first, Index last);
  void join();

 private:
  std::atomic<int> order_{0};
};

}  // namespace retropg
