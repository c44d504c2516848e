#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "retropg/policy/evidence.hpp"

namespace retropg {

/// Whether saved numbers begin with `trajectories` + 1 indices of first steps: 0, then increasing whole numbers, of
/// which none is larger than the number of numbers.
inline bool valid_first_steps(std::span<const double> numbers, Index trajectories) {
  if (trajectories < 1 || as_index(numbers.size()) <= trajectories || numbers[0] != 0.0) return false;
  const auto most = static_cast<double>(numbers.size());
  for (Index j = 1; j <= trajectories; ++j) {
    const double first = numbers[as_size(j)];
    // Negated so that a NaN also fails.
    if (!(first > numbers[as_size(j - 1)]) || first != std::floor(first) || first > most) return false;
  }
  return true;
}

/// weight_j credit_t for every step t of every trajectory j in the chunks [first, last), in order.
inline std::vector<double> credited_weights(const StepwiseEvidence& evidence, const double* weights, Index first,
                                            Index last) {
  const Index begin = evidence.first_step(first * kChunk), width = evidence.credit_width();
  std::vector<double> result(as_size((evidence.first_step(last * kChunk) - begin) * width));
  evidence.step_credits(first, last, result.data());
  for (Index j = first * kChunk; j < last * kChunk; ++j) {
    const double weight = weights[j - first * kChunk];
    double* end = result.data() + (evidence.first_step(j + 1) - begin) * width;
    for (double* credit = result.data() + (evidence.first_step(j) - begin) * width; credit < end; ++credit) {
      *credit = weight * *credit;
    }
  }
  return result;
}

}  // namespace retropg
