#include <cmath>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/runner.hpp"

namespace retropg {
namespace {

/// z and pitch within their ranges.
bool healthy(std::span<const double> positions, std::span<const double> /*velocities*/) {
  return positions[1] > 0.8 && positions[1] < 2.0 && std::abs(positions[2]) < 1.0;
}

}  // namespace

EnvironmentDefinition walker2d() {
  const RunnerOptions options{.model = "walker2d",
                              .substeps = 4,
                              .observed_speed = 10.0,
                              .start_noise = 0.005,
                              .control_cost = 0.001,
                              .alive_reward = 1.0,
                              .healthy = healthy};
  return {.id = "Walker2d-v4",
          .observation_size = 17,
          .action_size = 6,
          .horizon = 1000,
          .discount = 1.0,
          .most_lanes = kMujocoLanes,
          .make = [options](Index lanes) { return std::make_unique<Runner>(options, lanes); }};
}

}  // namespace retropg
