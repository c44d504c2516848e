#pragma once

#include <optional>
#include <string>

#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// The largest absolute value of an observation, action or reward. Products of three such numbers (a feature, another
/// feature or a residual, and a reward), summed over a trajectory of ten thousand steps, stay finite, and so do the
/// squares of returns.
inline constexpr double kLargestNumber = 1e100;

/// Trajectories left out of a batch because they are broken, and the steps they took.
struct Dropped {
  Index trajectories = 0;
  Index steps = 0;

  Dropped& operator+=(const Dropped& other) {
    trajectories += other.trajectories;
    steps += other.steps;
    return *this;
  }
};

/// A number that is not finite or is larger than kLargestNumber, and where it is.
struct BrokenNumber {
  Index trajectory;
  Index step;        // the length of the trajectory for its final observation
  std::string what;  // for example "the reward is inf"
};

/// The first broken number of one trajectory. A trajectory with a broken number is broken.
std::optional<BrokenNumber> broken_number(const TrajectoryBatch& batch, Index trajectory);

/// The first broken number of the whole batch.
std::optional<BrokenNumber> first_broken_number(const TrajectoryBatch& batch);

}  // namespace retropg
