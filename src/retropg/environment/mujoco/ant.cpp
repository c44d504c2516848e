#include <algorithm>
#include <cmath>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/runner.hpp"

namespace retropg {
namespace {

/// z within its range and every number finite.
bool healthy(std::span<const double> positions, std::span<const double> velocities) {
  const auto finite = [](double number) { return std::isfinite(number); };
  return positions[2] >= 0.2 && positions[2] <= 1.0 && std::ranges::all_of(positions, finite) &&
         std::ranges::all_of(velocities, finite);
}

}  // namespace

EnvironmentDefinition ant() {
  const RunnerOptions options{.model = "ant",
                              .substeps = 5,
                              .hidden = 2,
                              .start_noise = 0.1,
                              .normal_speeds = true,
                              .control_cost = 0.5,
                              .alive_reward = 1.0,
                              .healthy = healthy,
                              .body_x = true};
  return {.id = "Ant-v4",
          .observation_size = 27,
          .action_size = 8,
          .horizon = 1000,
          .discount = 1.0,
          .most_lanes = kMujocoLanes,
          .make = [options](Index lanes) { return std::make_unique<Runner>(options, lanes); }};
}

}  // namespace retropg
