#pragma once

#include <functional>
#include <span>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/parallel/workers.hpp"

namespace retropg {

/// Sums of one row a chunk, always added in index order: the same bits whoever computed the rows. Estimators use it as
/// often as they must and see neither threads nor ranks.
class OrderedSum {
 public:
  explicit OrderedSum(const Workers& workers) : workers_(&workers) {}

  /// Writes rows[(chunk - first) * width + column] for the chunks in [first, last).
  using Fill = std::function<void(Index first, Index last, double* rows)>;

  /// totals[s * width + column] = sum of the rows of the chunks segments[s], ..., segments[s + 1] - 1.
  /// Tasks for threads are `grain` chunks; it changes nothing else.
  void segments(std::span<const Index> segments, Index width, const Fill& fill, std::span<double> totals,
                Index grain = kCheapGrain) const;

  /// total[column] = sum of the rows of the chunks 0, ..., chunks - 1.
  void total(Index chunks, Index width, const Fill& fill, std::span<double> total, Index grain = kCheapGrain) const;

  /// Work that leaves its results in place and sums nothing, over the chunks [0, chunks).
  void each(Index chunks, const std::function<void(Index first, Index last)>& body, Index grain = kCheapGrain) const;

 private:
  const Workers* workers_;
  mutable std::vector<double>
      rows_;  // kept between calls; a sum belongs to one trainer, which calls it from one thread
};

}  // namespace retropg
