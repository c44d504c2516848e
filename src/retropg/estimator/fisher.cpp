#include "retropg/estimator/fisher.hpp"

#include <algorithm>

namespace retropg {

FisherMatrix::FisherMatrix(const Evidence& evidence, Parameters theta, double weight, const OrderedSum& sum)
    : evidence_(evidence), theta_(theta), weights_(as_size(chunk_count(evidence.size()) * kChunk), 0.0), sum_(sum) {
  std::fill_n(weights_.begin(), evidence.size(), weight);
}

void FisherMatrix::operator()(std::span<const double> vector, std::span<double> result) const {
  sum_.total(
      chunk_count(evidence_.size()), as_index(theta_.size()),
      [&](Index first, Index last, double* rows) {
        evidence_.fisher_product(theta_, weights_.data() + first * kChunk, vector, first, last, rows);
      },
      result, evidence_.grain());
}

double FisherMatrix::trace() const {
  double result = 0.0;
  sum_.total(
      chunk_count(evidence_.size()), 1,
      [&](Index first, Index last, double* rows) {
        evidence_.fisher_trace(theta_, weights_.data() + first * kChunk, first, last, rows);
      },
      {&result, 1}, evidence_.grain());
  return result;
}

}  // namespace retropg
