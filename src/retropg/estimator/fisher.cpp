#include "retropg/estimator/fisher.hpp"

#include "retropg/policy/evidence_sum.hpp"

namespace retropg {

FisherMatrix::FisherMatrix(const Evidence& evidence, Parameters theta, double weight, const OrderedSum& sum)
    : evidence_(evidence),
      fisher_(as<FisherEvidence>(evidence)),
      theta_(theta),
      weights_(padded_weights(evidence, weight)),
      sum_(sum) {}

void FisherMatrix::operator()(std::span<const double> vector, std::span<double> result) const {
  sum_rows(
      evidence_, sum_,
      [&](Index first, Index last, double* rows) {
        fisher_.fisher_product(theta_, weights_.data() + first * kChunk, vector, first, last, rows);
      },
      result);
}

double FisherMatrix::trace() const {
  double result = 0.0;
  sum_rows(evidence_, sum_,
           [&](Index first, Index last, double* rows) {
             fisher_.fisher_trace(theta_, weights_.data() + first * kChunk, first, last, rows);
           },
           {&result, 1});
  return result;
}

std::vector<double> solved_by_diagonal(const FisherMatrix& fisher, std::vector<double> vector) {
  const std::vector<double> ones(vector.size(), 1.0);
  std::vector<double> diagonal(vector.size());
  fisher(ones, diagonal);
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] /= diagonal[i];
  return vector;
}

}  // namespace retropg
