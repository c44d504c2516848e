#pragma once

#include <span>
#include <vector>

#include "retropg/core/function_ref.hpp"
#include "retropg/core/types.hpp"
#include "retropg/parallel/workers.hpp"

namespace retropg {

/// Adds rows of numbers, one row per chunk, always in index order, so that the bits do not depend on which thread
/// computed a row. Estimators use it for every parallel sum and never deal with threads themselves.
class OrderedSum {
 public:
  explicit OrderedSum(const Workers& workers) : workers_(&workers) {}

  /// Writes rows[(chunk - first) * width + column] for the chunks in [first, last).
  using Fill = FunctionRef<void(Index first, Index last, double* rows)>;

  /// totals[s * width + column] = sum of the rows of the chunks segments[s], ..., segments[s + 1] - 1.
  /// `grain` is the number of chunks per task; it does not affect the result.
  void segments(std::span<const Index> segments, Index width, Fill fill, std::span<double> totals,
                Index grain = kCheapGrain) const;

  /// total[column] = sum of the rows of the chunks 0, ..., chunks - 1.
  void total(Index chunks, Index width, Fill fill, std::span<double> total, Index grain = kCheapGrain) const;

  /// Runs the body over the chunks [0, chunks) without summing; it writes its results in place.
  void each(Index chunks, FunctionRef<void(Index first, Index last)> body, Index grain = kCheapGrain) const;

 private:
  const Workers* workers_;
  // Reused between calls: each OrderedSum belongs to one trainer, which calls it from one thread.
  mutable std::vector<double> rows_;
};

}  // namespace retropg
