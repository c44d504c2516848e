#include <algorithm>
#include <cmath>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/runner.hpp"

namespace retropg {
namespace {

/// z, pitch and every number but x and z within their ranges.
bool healthy(std::span<const double> positions, std::span<const double> velocities) {
  const auto within = [](double number) { return std::abs(number) < 100.0; };
  return positions[1] > 0.7 && std::abs(positions[2]) < 0.2 && std::ranges::all_of(positions.subspan(2), within) &&
         std::ranges::all_of(velocities, within);
}

}  // namespace

EnvironmentDefinition hopper() {
  const RunnerOptions options{.model = "hopper",
                              .substeps = 4,
                              .observed_speed = 10.0,
                              .start_noise = 0.005,
                              .control_cost = 0.001,
                              .alive_reward = 1.0,
                              .healthy = healthy};
  return {.id = "Hopper-v4",
          .observation_size = 11,
          .action_size = 3,
          .horizon = 1000,
          .discount = 1.0,
          .most_lanes = kMujocoLanes,
          .make = [options](Index lanes) { return std::make_unique<Runner>(options, lanes); }};
}

}  // namespace retropg
