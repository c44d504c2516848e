#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/evidence.hpp"

namespace retropg {

/// total[column] = sum over the evidence's chunks of the rows that `fill` writes, in index order.
inline void sum_rows(const Evidence& evidence, const OrderedSum& sum, OrderedSum::Fill fill, std::span<double> total) {
  sum.total(chunk_count(evidence.size()), as_index(total.size()), fill, total, evidence.grain());
}

/// Calls body(first, last) for ranges that together cover the evidence's chunks, on any thread.
inline void for_chunks(const Evidence& evidence, const OrderedSum& sum, FunctionRef<void(Index, Index)> body) {
  sum.each(chunk_count(evidence.size()), body, evidence.grain());
}

/// `weight` for each trajectory of the evidence and 0 for its padding.
inline std::vector<double> padded_weights(const Evidence& evidence, double weight) {
  std::vector<double> weights(as_size(chunk_count(evidence.size()) * kChunk), 0.0);
  std::fill_n(weights.begin(), evidence.size(), weight);
  return weights;
}

}  // namespace retropg
