#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/runner.hpp"

namespace retropg {

EnvironmentDefinition half_cheetah() {
  const RunnerOptions options{
      .model = "half_cheetah", .substeps = 5, .start_noise = 0.1, .normal_speeds = true, .control_cost = 0.1};
  return {.id = "HalfCheetah-v4",
          .observation_size = 17,
          .action_size = 6,
          .horizon = 100,
          .discount = 1.0,
          .most_lanes = kMujocoLanes,
          .make = [options](Index lanes) { return std::make_unique<Runner>(options, lanes); }};
}

}  // namespace retropg
