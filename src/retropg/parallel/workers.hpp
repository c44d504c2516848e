#pragma once

#include <memory>

#include "retropg/core/function_ref.hpp"
#include "retropg/core/types.hpp"

namespace retropg {

/// The number of threads a setting stands for: 0 means one per processor that this process may use
/// (parallel/processors.hpp).
Index thread_count(Index requested);

/// All threads of the library. They live in a private arena, so that the host program's own pool is not affected.
class Workers {
 public:
  explicit Workers(Index threads = 1);
  ~Workers();
  Workers(Workers&&) noexcept;
  Workers& operator=(Workers&&) noexcept;

  Index threads() const { return threads_; }

  /// Calls body(first, last) for disjoint ranges that cover [0, count), each at least `grain` long except the last.
  /// Any thread may get any range, so results must not depend on it. The first exception is rethrown to the caller.
  void for_ranges(Index count, Index grain, FunctionRef<void(Index, Index)> body) const;

 private:
  struct Arena;
  Index threads_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace retropg
