#include "retropg/parallel/ordered_sum.hpp"

#include <algorithm>
#include <array>

namespace retropg {
namespace {

constexpr Index kNumbersPerTask = 16384;  // about ten microseconds of adding

}  // namespace

void OrderedSum::segments(std::span<const Index> segments, Index width, Fill fill, std::span<double> totals,
                          Index grain) const {
  const Index chunks = segments.back();
  if (as_index(rows_.size()) < chunks * width) rows_.resize(as_size(chunks * width));  // growing again would fill it
  workers_->for_ranges(chunks, grain,
                       [&](Index first, Index last) { fill(first, last, rows_.data() + first * width); });
  // Within a segment in order; but segments are independent.
  const auto count = as_index(segments.size()) - 1;
  const Index per_task = std::max<Index>(1, kNumbersPerTask * count / (chunks * width + 1));
  workers_->for_ranges(count, per_task, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      double* total = totals.data() + s * width;
      std::fill_n(total, width, 0.0);
      const double* row = rows_.data() + segments[as_size(s)] * width;
      for (Index chunk = segments[as_size(s)]; chunk < segments[as_size(s + 1)]; ++chunk, row += width) {
        for (Index column = 0; column < width; ++column) total[column] += row[column];
      }
    }
  });
}

void OrderedSum::total(Index chunks, Index width, Fill fill, std::span<double> total, Index grain) const {
  const std::array<Index, 2> all{0, chunks};
  segments(all, width, fill, total, grain);
}

void OrderedSum::each(Index chunks, FunctionRef<void(Index, Index)> body, Index grain) const {
  workers_->for_ranges(chunks, grain, body);
}

}  // namespace retropg
