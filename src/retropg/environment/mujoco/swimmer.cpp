#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/runner.hpp"

namespace retropg {

EnvironmentDefinition swimmer() {
  const RunnerOptions options{.model = "swimmer", .substeps = 4, .hidden = 2, .start_noise = 0.1, .control_cost = 1e-4};
  return {.id = "Swimmer-v4",
          .observation_size = 8,
          .action_size = 2,
          .horizon = 200,
          .discount = 1.0,
          .most_lanes = kMujocoLanes,
          .make = [options](Index lanes) { return std::make_unique<Runner>(options, lanes); }};
}

}  // namespace retropg
