#include "retropg/parallel/workers.hpp"

#include <algorithm>
#include <optional>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#ifdef RETROPG_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

#include "retropg/core/error.hpp"
#include "retropg/parallel/processors.hpp"
#include "retropg/parallel/thread_check.hpp"

namespace retropg {
namespace {

#ifdef RETROPG_THREAD_SANITIZER
// oneTBB orders a caller and its tasks, but the thread sanitizer cannot look into it and would report races that are
// not there. This tells it that order and no more: tasks run after what the caller did before and before what it does
// next, and in no order among themselves.
class OrderForSanitizer {
 public:
  OrderForSanitizer() { __tsan_release(&before_); }
  ~OrderForSanitizer() { __tsan_acquire(&after_); }

  struct Task {
    explicit Task(OrderForSanitizer& its_order) : order(its_order) { __tsan_acquire(&order.before_); }
    ~Task() { __tsan_release(&order.after_); }
    OrderForSanitizer& order;
  };

 private:
  char before_ = 0;  // only the addresses count
  char after_ = 0;
};
#else
struct OrderForSanitizer {
  struct Task {
    explicit Task(OrderForSanitizer&) {}
  };
};
#endif

}  // namespace

Index thread_count(Index requested) {
  return requested > 0 ? requested : usable_processors();
}

struct Workers::Arena {
  explicit Arena(Index threads) : arena(static_cast<int>(threads)) {
    // Without this, oneTBB would use fewer threads than requested and warn on stderr.
    if (threads > oneapi::tbb::info::default_concurrency()) {
      limit.emplace(oneapi::tbb::global_control::max_allowed_parallelism, as_size(threads));
    }
  }
  std::optional<oneapi::tbb::global_control> limit;
  mutable oneapi::tbb::task_arena arena;
};

Workers::Workers(Index threads) : threads_(threads) {
  require(threads >= 1 && threads <= 1024, "threads must be between 1 and 1024, not " + std::to_string(threads));
  if (threads == 1) return;
  using Control = oneapi::tbb::global_control;
  require_threads(threads, Control::active_value(Control::thread_stack_size));
  arena_ = std::make_unique<Arena>(threads);
}

Workers::~Workers() = default;
Workers::Workers(Workers&&) noexcept = default;
Workers& Workers::operator=(Workers&&) noexcept = default;

void Workers::for_ranges(Index count, Index grain, FunctionRef<void(Index, Index)> body) const {
  if (count <= 0) return;
  if (arena_ == nullptr || count <= grain) {
    body(0, count);
    return;
  }
  const Index pieces = (count + grain - 1) / grain;
  [[maybe_unused]] OrderForSanitizer order;  // objects, so that it also holds when a task throws
  arena_->arena.execute([&] {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<Index>(0, pieces, 1),
        [&](const oneapi::tbb::blocked_range<Index>& range) {
          [[maybe_unused]] const OrderForSanitizer::Task task(order);
          body(range.begin() * grain, std::min(range.end() * grain, count));
        },
        oneapi::tbb::auto_partitioner());
  });
}

}  // namespace retropg
