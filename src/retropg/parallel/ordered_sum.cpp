#include "retropg/parallel/ordered_sum.hpp"

#include <algorithm>
#include <array>

namespace retropg {

void OrderedSum::segments(std::span<const Index> segments, Index width, Fill fill, std::span<double> totals,
                          Index grain) const {
  const Index chunks = segments.back();
  rows_.resize(as_size(chunks * width));
  workers_->for_ranges(chunks, grain,
                       [&](Index first, Index last) { fill(first, last, rows_.data() + first * width); });
  std::ranges::fill(totals, 0.0);
  const double* row = rows_.data();
  double* total = totals.data();
  for (std::size_t s = 0; s + 1 < segments.size(); ++s, total += width) {
    for (Index chunk = segments[s]; chunk < segments[s + 1]; ++chunk, row += width) {
      for (Index column = 0; column < width; ++column) total[column] += row[column];
    }
  }
}

void OrderedSum::total(Index chunks, Index width, Fill fill, std::span<double> total, Index grain) const {
  const std::array<Index, 2> all{0, chunks};
  segments(all, width, fill, total, grain);
}

void OrderedSum::each(Index chunks, FunctionRef<void(Index, Index)> body, Index grain) const {
  workers_->for_ranges(chunks, grain, body);
}

}  // namespace retropg
