#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// The steps of a batch in one array: trajectories + 1 first steps, one row per step, and padding that vectors may
/// read.
class StepBlock {
 public:
  /// Rows of zeros.
  StepBlock(const TrajectoryBatch& batch, Index row_size);
  /// From the numbers of another block; throws Error if their count does not fit.
  StepBlock(Index trajectories, Index row_size, std::span<const double> numbers);

  Index trajectories() const { return trajectories_; }
  Index row_size() const { return row_size_; }
  /// The first step of a trajectory; those of the padding have no steps.
  Index begin(Index trajectory) const {
    return static_cast<Index>(numbers_[as_size(std::min(trajectory, trajectories_))]);
  }
  double* step(Index t) { return numbers_.data() + trajectories_ + 1 + t * row_size_; }
  const double* step(Index t) const { return numbers_.data() + trajectories_ + 1 + t * row_size_; }
  std::span<const double> numbers() const { return numbers_; }

  /// One number of each step of the chunks [first, last).
  void column(Index at, Index first, Index last, double* to) const;
  /// weights_j factor for every step of the trajectories j in the chunks [first, last).
  std::vector<double> spread(const double* weights, double factor, Index first, Index last) const;

  /// Upper bound on what a trajectory of at most `horizon` steps adds to a block, or needs as a block of its own.
  static Index bytes_per_trajectory(Index horizon, Index row_size);

 private:
  Index trajectories_, row_size_;
  std::vector<double> numbers_;
};

}  // namespace retropg
