#include "retropg/parallel/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "retropg/parallel/thread_check.hpp"
#include "support/expect_throw.hpp"
#include "support/many_threads.hpp"

namespace retropg::test {
namespace {

struct Range {
  Index first, last;
};

/// The ranges of one loop, in whatever order they were taken.
std::vector<Range> ranges(const Workers& workers, Index count, Index grain) {
  std::mutex mutex;
  std::vector<Range> result;
  workers.for_ranges(count, grain, [&](Index first, Index last) {
    const std::lock_guard lock(mutex);
    result.push_back({.first = first, .last = last});
  });
  return result;
}

TEST(WorkersThreads, CoverEveryIndexExactlyOnce) {
  const ManyThreads many;
  for (const Index threads : {1, 2, 3, 8}) {
    const Workers workers(threads);
    for (const Index count : {1, 2, 7, 64, 65, 1000}) {
      for (const Index grain : {1, 3, 64, 2000}) {
        std::vector<int> seen(as_size(count), 0);
        for (const Range& range : ranges(workers, count, grain)) {
          EXPECT_LT(range.first, range.last);
          for (Index i = range.first; i < range.last; ++i) ++seen.at(as_size(i));
        }
        EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << threads << " " << count << " " << grain;
      }
    }
  }
}

TEST(WorkersThreads, RangesAreAtLeastAGrainLongExceptTheLast) {
  const ManyThreads many;
  for (const Index threads : {1, 2, 3, 8}) {
    const Workers workers(threads);
    for (const Index grain : {1, 3, 64}) {
      for (const Range& range : ranges(workers, 1000, grain)) {
        EXPECT_TRUE(range.last == 1000 || range.last - range.first >= grain) << range.first << " " << range.last;
        EXPECT_EQ(range.first % grain, 0);  // whole grains: a chunk is never cut
      }
    }
  }
}

TEST(WorkersThreads, DoNothingForNothing) {
  const ManyThreads many;
  for (const Index threads : {1, 3}) {
    EXPECT_TRUE(ranges(Workers(threads), 0, 4).empty());
    EXPECT_TRUE(ranges(Workers(threads), -5, 4).empty());
  }
}

TEST(WorkersThreads, OneThreadWorksInTheCaller) {
  std::thread::id worker;
  Workers(1).for_ranges(1000, 1, [&](Index, Index) { worker = std::this_thread::get_id(); });
  EXPECT_EQ(worker, std::this_thread::get_id());
}

TEST(WorkersThreads, AllWorkAtTheSameTime) {
  const ManyThreads many;
  for (const int threads : {2, 3, 5}) {
    // Each range waits until all threads have one; a minute is for a machine that is busy with other things.
    std::atomic<int> inside = 0;
    std::atomic<bool> met = false;
    Workers(threads).for_ranges(200, 1, [&](Index, Index) {
      if (++inside == threads) met = true;
      for (int wait = 0; wait < 60000 && !met; ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --inside;
    });
    EXPECT_TRUE(met) << threads;
  }
}

TEST(WorkersThreads, AnExceptionReachesTheCaller) {
  const ManyThreads many;
  for (const Index threads : {1, 2, 3, 8}) {
    const Workers workers(threads);
    for (const Index bad : {0, 500, 999}) {
      expect_throw(
          [&] {
            workers.for_ranges(1000, 7, [&](Index first, Index last) {
              if (first <= bad && bad < last) throw Error("index " + std::to_string(bad));
            });
          },
          "index " + std::to_string(bad));
    }
    EXPECT_EQ(std::ssize(ranges(workers, 7, 7)), 1);  // and the workers still work
    EXPECT_GE(std::ssize(ranges(workers, 1000, 7)), 1);
  }
}

TEST(WorkersThreads, OneOfManyExceptionsReachesTheCaller) {
  const ManyThreads many;
  const Workers workers(3);
  EXPECT_THROW(workers.for_ranges(1000, 1, [](Index, Index) { throw std::logic_error("every range"); }),
               std::logic_error);
}

TEST(WorkersThreads, KeepTheirNumberWhenMoved) {
  const ManyThreads many;
  Workers first(3);
  EXPECT_EQ(first.threads(), 3);
  const Workers second = std::move(first);
  EXPECT_EQ(second.threads(), 3);
  EXPECT_FALSE(ranges(second, 100, 3).empty());
  EXPECT_EQ(Workers().threads(), 1);
}

TEST(WorkersThreads, RefuseAnAbsurdNumber) {
  expect_throw([] { const Workers workers(0); }, "threads must be between 1 and 1024, not 0");
  expect_throw([] { const Workers workers(-3); }, "threads must be between 1 and 1024, not -3");
  expect_throw([] { const Workers workers(1025); }, "threads must be between 1 and 1024, not 1025");
}

TEST(WorkersThreads, SayThatThreadsCannotBeStarted) {
  const std::size_t more_than_there_is = std::size_t{1} << 47;
  expect_throw([=] { require_threads(1024, more_than_there_is); },
               "cannot start 1024 threads: Resource temporarily unavailable; use fewer with --threads");
  EXPECT_NO_THROW(require_threads(1, more_than_there_is));
}

}  // namespace
}  // namespace retropg::test
