#include "retropg/policy/step_block.hpp"

#include "retropg/core/error.hpp"
#include "retropg/kernels/dense.hpp"
#include "retropg/policy/step_layout.hpp"

namespace retropg {

StepBlock::StepBlock(const TrajectoryBatch& batch, Index row_size) : trajectories_(batch.size()), row_size_(row_size) {
  numbers_.assign(batch.first_step.begin(), batch.first_step.end());
  numbers_.resize(numbers_.size() + as_size(batch.steps() * row_size) + kernels::kUnitPadding, 0.0);
}

StepBlock::StepBlock(Index trajectories, Index row_size, std::span<const double> numbers)
    : trajectories_(trajectories), row_size_(row_size), numbers_(numbers.begin(), numbers.end()) {
  const bool fits =
      valid_first_steps(numbers, trajectories) &&
      as_index(numbers.size()) == trajectories + 1 + begin(trajectories) * row_size + as_index(kernels::kUnitPadding);
  require(fits, "the size of the saved evidence does not match its policy");
}

void StepBlock::column(Index at, Index first, Index last, double* to) const {
  for (Index t = begin(first * kChunk); t < begin(last * kChunk); ++t) *to++ = step(t)[at];
}

std::vector<double> StepBlock::spread(const double* weights, double factor, Index first, Index last) const {
  std::vector<double> factors;
  for (Index j = first * kChunk; j < last * kChunk; ++j, ++weights) {
    factors.insert(factors.end(), as_size(begin(j + 1) - begin(j)), factor * *weights);
  }
  return factors;
}

Index StepBlock::bytes_per_trajectory(Index horizon, Index row_size) {
  return (horizon * row_size + 2 + as_index(kernels::kUnitPadding)) * as_index(sizeof(double));
}

}  // namespace retropg
