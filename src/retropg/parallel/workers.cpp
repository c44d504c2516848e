#include "retropg/parallel/workers.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "retropg/core/error.hpp"

namespace retropg {

struct Workers::Arena {
  explicit Arena(Index threads) : arena(static_cast<int>(threads)) {}
  mutable oneapi::tbb::task_arena arena;
};

Workers::Workers(Index threads) : threads_(threads) {
  require(threads >= 1 && threads <= 1024, "threads must be between 1 and 1024, not " + std::to_string(threads));
  if (threads > 1) arena_ = std::make_unique<Arena>(threads);
}

Workers::~Workers() = default;
Workers::Workers(Workers&&) noexcept = default;
Workers& Workers::operator=(Workers&&) noexcept = default;

void Workers::for_ranges(Index count, Index grain, const std::function<void(Index, Index)>& body) const {
  if (count <= 0) return;
  if (arena_ == nullptr || count <= grain) {
    body(0, count);
    return;
  }
  const Index pieces = (count + grain - 1) / grain;
  arena_->arena.execute([&] {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<Index>(0, pieces, 1),
        [&](const oneapi::tbb::blocked_range<Index>& range) {
          body(range.begin() * grain, std::min(range.end() * grain, count));
        },
        oneapi::tbb::auto_partitioner());
  });
}

}  // namespace retropg
