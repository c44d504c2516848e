#pragma once

#include <string>
#include <utility>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Where a trajectory broke (trajectory/broken_number.hpp), and all that is needed to simulate it again: its random
/// numbers depend on the seed, the iteration and the trajectory alone.
struct BrokenRollout {
  std::string environment;
  Index iteration = 0;
  Index trajectory = 0;
  Index step = 0;    // of the broken number; the length of the trajectory for its final observation
  std::string what;  // for example "the reward is inf"
  std::vector<double> behavior{};
  double spread = 1.0;
  TrajectoryBatch steps{};  // of this one trajectory, up to and including the broken number
};

/// A simulated trajectory holds a number that is not finite or too large.
class BrokenTrajectory : public RunError {
 public:
  /// `more` follows the description of the broken number in the message.
  explicit BrokenTrajectory(BrokenRollout rollout, const std::string& more = "")
      : RunError(rollout.environment + ", iteration " + std::to_string(rollout.iteration) + ", trajectory " +
                 std::to_string(rollout.trajectory) + ", step " + std::to_string(rollout.step) + ": " + rollout.what +
                 more),
        rollout_(std::move(rollout)) {}

  const BrokenRollout& rollout() const { return rollout_; }

 private:
  BrokenRollout rollout_;
};

}  // namespace retropg
