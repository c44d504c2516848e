#pragma once

#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

class Archive;

/// A baseline for the return: what is taken off the credit of a step to make the gradient less noisy. It is computed
/// once, on the fresh batch at its behaviour's parameters, and frozen with it, so that evidence stays valid.
class Baseline {
 public:
  virtual ~Baseline() = default;
  /// The credits of a fresh batch drawn at theta, less their baseline: one a step, or one for each step and parameter.
  /// For Credit::kReturn they are the same at every step of a trajectory.
  virtual std::vector<double> credits(Parameters theta, const TrajectoryBatch& batch, Credit credit) = 0;
  /// Every number a resume needs, by name, in both directions.
  virtual void state(Archive& archive) = 0;
};

}  // namespace retropg
