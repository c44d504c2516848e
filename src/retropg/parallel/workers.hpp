#pragma once

#include <functional>
#include <memory>

#include "retropg/core/types.hpp"

namespace retropg {

/// The number of threads a setting asks for: 0 is one per core.
Index thread_count(Index asked);

/// The only threads of the library: a private arena, so that a host program's own pool is left alone.
class Workers {
 public:
  explicit Workers(Index threads = 1);
  ~Workers();
  Workers(Workers&&) noexcept;
  Workers& operator=(Workers&&) noexcept;

  Index threads() const { return threads_; }

  /// Calls body(first, last) over disjoint ranges that cover [0, count), each at least `grain` long but the last.
  /// Which thread gets which range is open: the body must not care. The first exception reaches the caller.
  void for_ranges(Index count, Index grain, const std::function<void(Index, Index)>& body) const;

 private:
  struct Arena;
  Index threads_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace retropg
