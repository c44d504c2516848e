#pragma once

#include "retropg/reuse/weights.hpp"

namespace retropg {

/// The number of trajectories in `chunks` chunks, padding included.
inline std::size_t padded_count(Index chunks) {
  return as_size(chunks * kChunk);
}

/// Calls weigh_part(batch, first, count) in parallel for parts that together cover the window, and sets the weights of
/// padding to 0.
template <typename Part>
void weigh_parts(const Window& window, const OrderedSum& sum, Weights& weights, const Part& weigh_part) {
  const Index chunks = window.chunk_offsets().back();
  weights.c.resize(padded_count(chunks));
  sum.each(chunks, [&](Index from, Index to) {
    window.for_entries(from, to, [&](std::size_t i, Index first, Index last, Index offset) {
      weigh_part(i, padded_count(offset + first), padded_count(last - first));
      for (Index j = window.entries()[i].evidence->size(); j < last * kChunk; ++j) {
        weights.c[padded_count(offset) + as_size(j)] = 0.0;
      }
    });
  });
}

/// Records divergences of order 2, even though the rule does not use them, and no coefficients.
inline void record_divergences(const Window& window, const LikelihoodComparison& comparison, const OrderedSum& sum,
                               Weights& weights) {
  log_divergences(window, comparison, {}, sum, weights.log_divergence);
  weights.log_alpha.clear();
  weights.log_lambda.clear();
  weights.saturated = 0;
}

}  // namespace retropg
