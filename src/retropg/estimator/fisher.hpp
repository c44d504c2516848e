#pragma once

#include <span>
#include <vector>

#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/evidence.hpp"

namespace retropg {

/// F = weight sum_j F_j(theta) over the trajectories of one batch, where F_j is the sum of the Fisher matrices of the
/// decisions of trajectory j (the evidence must implement FisherEvidence). The matrix itself is never formed.
class FisherMatrix {
 public:
  FisherMatrix(const Evidence& evidence, Parameters theta, double weight, const OrderedSum& sum);
  /// F vector.
  void operator()(std::span<const double> vector, std::span<double> result) const;
  /// The exact trace of F.
  double trace() const;

 private:
  const Evidence& evidence_;
  const FisherEvidence& fisher_;
  Parameters theta_;
  std::vector<double> weights_;
  const OrderedSum& sum_;
};

/// F^{-1} vector for a diagonal F.
std::vector<double> solved_by_diagonal(const FisherMatrix& fisher, std::vector<double> vector);

}  // namespace retropg
