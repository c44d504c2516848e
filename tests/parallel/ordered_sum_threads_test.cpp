#include "retropg/parallel/ordered_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/many_threads.hpp"
#include "support/numbers.hpp"

namespace retropg::test {
namespace {

/// Rows whose sum depends on the order of its terms: numbers of very different size that nearly cancel.
std::vector<double> awkward_rows(Index chunks, Index width) {
  std::vector<double> rows = uniform_numbers(as_size(chunks * width), -1.0, 1.0, 1);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] *= i % 3 == 0 ? 1e12 : i % 3 == 1 ? 1.0 : 1e-9;
  return rows;
}

/// A fill that copies from prepared rows.
std::function<void(Index, Index, double*)> copy_of(const std::vector<double>& rows, Index width) {
  return [&rows, width](Index first, Index last, double* out) {
    std::copy(rows.begin() + first * width, rows.begin() + last * width, out);
  };
}

std::vector<double> sum_in_order(const std::vector<double>& rows, Index width, Index first, Index last) {
  std::vector<double> total(as_size(width), 0.0);
  for (Index chunk = first; chunk < last; ++chunk) {
    for (Index column = 0; column < width; ++column) total[as_size(column)] += rows[as_size(chunk * width + column)];
  }
  return total;
}

TEST(OrderedSum, AddsInIndexOrderForAnyNumberOfThreadsAndAnyGrain) {
  const ManyThreads many;
  for (const Index width : {1, 6}) {
    for (const Index chunks : {1, 63, 64, 65, 127, 1000, 5000}) {
      const std::vector<double> rows = awkward_rows(chunks, width), expected = sum_in_order(rows, width, 0, chunks);
      for (const Index threads : {1, 2, 3, 8}) {
        const Workers workers(threads);
        for (const Index grain : {Index{1}, Index{7}, kCheapGrain, Index{2000}}) {
          std::vector<double> total(as_size(width), 1e300);  // what was there does not count
          OrderedSum(workers).total(chunks, width, copy_of(rows, width), total, grain);
          ASSERT_EQ(bits(total), bits(expected)) << width << " " << chunks << " " << threads << " " << grain;
        }
      }
    }
  }
  // The rows would tell: another order gives other bits.
  std::vector<double> rows = awkward_rows(1000, 1);
  const std::vector<double> forwards = sum_in_order(rows, 1, 0, 1000);
  std::ranges::reverse(rows);
  EXPECT_NE(bits(sum_in_order(rows, 1, 0, 1000)), bits(forwards));
}

TEST(OrderedSum, SumsSegmentsApart) {
  const ManyThreads many;
  const std::vector<Index> segments{0, 1, 70, 70, 200, 1000};  // one of them empty
  constexpr Index kWidth = 3;
  const std::vector<double> rows = awkward_rows(1000, kWidth);
  for (const Index threads : {1, 2, 3, 8}) {
    const Workers workers(threads);
    std::vector<double> totals(as_size(5 * kWidth), 1e300), finer = totals;
    OrderedSum(workers).segments(segments, kWidth, copy_of(rows, kWidth), totals);
    OrderedSum(workers).segments(segments, kWidth, copy_of(rows, kWidth), finer, 3);
    EXPECT_EQ(bits(finer), bits(totals));
    for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
      EXPECT_EQ(bits(std::span(totals).subspan(s * kWidth, kWidth)),
                bits(sum_in_order(rows, kWidth, segments[s], segments[s + 1])))
          << threads << " " << s;
    }
  }
}

TEST(OrderedSum, SumsManyLongSegmentsInOrderOnAnyThreads) {
  const ManyThreads many;
  constexpr Index kWidth = 3;
  const std::vector<Index> segments{0, 9000, 9001, 20000, 32000, 40000};
  const std::vector<double> rows = awkward_rows(segments.back(), kWidth);
  for (const Index threads : {1, 2, 5}) {
    const Workers workers(threads);
    std::vector<double> totals((segments.size() - 1) * kWidth, 1e9);
    OrderedSum(workers).segments(segments, kWidth, copy_of(rows, kWidth), totals);
    for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
      EXPECT_EQ(bits(std::span(totals).subspan(s * kWidth, kWidth)),
                bits(sum_in_order(rows, kWidth, segments[s], segments[s + 1])))
          << threads << " " << s;
    }
  }
}

TEST(OrderedSum, TheSumOfNothingIsZero) {
  const ManyThreads many;
  const Workers workers(2);
  std::vector<double> total(2, 5.0);
  OrderedSum(workers).total(
      0, 2, [](Index, Index, double*) { ADD_FAILURE() << "nothing to fill"; }, total);
  EXPECT_EQ(total, (std::vector{0.0, 0.0}));
}

TEST(OrderedSum, CanBeUsedAgainWithOtherSizes) {
  const ManyThreads many;
  const Workers workers(3);
  const OrderedSum sum(workers);
  for (const auto& [chunks, width] : {std::pair<Index, Index>{500, 7}, {3, 2}, {900, 1}, {0, 4}, {500, 7}}) {
    const std::vector<double> rows = awkward_rows(chunks, width);
    std::vector<double> total(as_size(width));
    sum.total(chunks, width, copy_of(rows, width), total);
    EXPECT_EQ(bits(total), bits(sum_in_order(rows, width, 0, chunks)));
  }
}

TEST(OrderedSum, EachVisitsEveryChunkExactlyOnce) {
  const ManyThreads many;
  for (const Index threads : {1, 2, 3, 8}) {
    const Workers workers(threads);
    for (const Index chunks : {0, 1, 64, 65, 1000}) {
      for (const Index grain : {Index{1}, Index{7}, kCheapGrain}) {
        std::vector<std::atomic<int>> visits(as_size(chunks));
        const auto visit = [&](Index first, Index last) {
          for (Index chunk = first; chunk < last; ++chunk) ++visits.at(as_size(chunk));
        };
        OrderedSum(workers).each(chunks, visit, grain);
        EXPECT_TRUE(std::ranges::all_of(visits, [](const std::atomic<int>& n) { return n == 1; })) << threads;
      }
    }
  }
}

TEST(OrderedSum, AnExceptionReachesTheCaller) {
  const ManyThreads many;
  for (const Index threads : {1, 3}) {
    const Workers workers(threads);
    const OrderedSum sum(workers);
    std::vector<double> total(1);
    const auto bad_at = [](Index chunk) {
      return [chunk](Index first, Index last, double* rows) {
        std::fill_n(rows, last - first, 0.0);
        if (first <= chunk && chunk < last) throw Error("chunk " + std::to_string(chunk));
      };
    };
    expect_throw([&] { sum.total(1000, 1, bad_at(777), total); }, "chunk 777");
    expect_throw(
        [&] {
          sum.each(1000, [](Index first, Index) {
            if (first == 0) throw Error("the first");
          });
        },
        "the first");
  }
}

}  // namespace
}  // namespace retropg::test
