#pragma once

#include <limits>
#include <span>
#include <string>

#include "retropg/environment/mujoco/mujoco_block.hpp"

namespace retropg {

/// The differences between the running tasks.
struct RunnerOptions {
  std::string model;
  int substeps = 1;
  std::size_t hidden = 1;  // number of leading positions that are not observed: x, or x and y
  double observed_speed = std::numeric_limits<double>::infinity();  // observed velocities are clipped to +- this
  double start_noise = 0.0;
  bool normal_speeds = false;  // initial velocities are normal; otherwise uniform like the positions
  double control_cost = 0.0;
  double alive_reward = 0.0;
  /// Whether the trajectory continues; null: always.
  bool (*healthy)(std::span<const double> positions, std::span<const double> velocities) = nullptr;
  /// Measure x by the first body's position, which lags one substep behind, instead of qpos[0], as Gymnasium does.
  bool body_x = false;
};

/// A task rewarded for moving along x. Observes qpos[hidden:] and qvel. r = dx/dt + alive_reward - control_cost |a|^2,
/// also for the terminating step. Starts at rest plus noise: uniform in +- start_noise, or normal with that deviation.
class Runner final : public MujocoBlock {
 public:
  Runner(const RunnerOptions& options, Index lanes);

 private:
  void scatter(RandomStream& random, mjData_& data) const override;
  void observe(const mjData_& data, LaneWriter observation) const override;
  Transition advance(mjData_& data) const override;

  RunnerOptions options_;
};

}  // namespace retropg
