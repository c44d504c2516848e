#include <algorithm>
#include <cmath>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/runner.hpp"

namespace retropg {
namespace {

using Numbers = std::span<const double>;

struct RunnerTask {
  std::string id;
  Index observation_size, action_size, horizon;
  RunnerOptions options;
  std::optional<ReferenceReturns> returns{};  // at this horizon
};

EnvironmentDefinition define(const RunnerTask& task) {
  return {.id = task.id,
          .observation_size = task.observation_size,
          .action_size = task.action_size,
          .horizon = task.horizon,
          .discount = 1.0,
          .most_lanes = kMujocoLanes,
          .make = [options = task.options](Index lanes) { return std::make_unique<Runner>(options, lanes); },
          .references = task.returns ? measured_for(task.horizon, *task.returns) : ReferencesOfReturns{}};
}

/// What Hopper and Walker2d share: all but the model and the definition of a fall.
RunnerOptions upright(const std::string& model, bool (*healthy)(Numbers positions, Numbers velocities)) {
  return {.model = model,
          .substeps = 4,
          .observed_speed = 10.0,
          .start_noise = 0.005,
          .control_cost = 0.001,
          .alive_reward = 1.0,
          .healthy = healthy};
}

/// z, pitch and every number but x and z within their ranges.
bool hopper_healthy(Numbers positions, Numbers velocities) {
  const auto within = [](double number) { return std::abs(number) < 100.0; };
  return positions[1] > 0.7 && std::abs(positions[2]) < 0.2 && std::ranges::all_of(positions.subspan(2), within) &&
         std::ranges::all_of(velocities, within);
}

/// z and pitch within their ranges.
bool walker2d_healthy(Numbers positions, Numbers /*velocities*/) {
  return positions[1] > 0.8 && positions[1] < 2.0 && std::abs(positions[2]) < 1.0;
}

/// z within its range and every number finite.
bool ant_healthy(Numbers positions, Numbers velocities) {
  const auto finite = [](double number) { return std::isfinite(number); };
  return positions[2] >= 0.2 && positions[2] <= 1.0 && std::ranges::all_of(positions, finite) &&
         std::ranges::all_of(velocities, finite);
}

}  // namespace

EnvironmentDefinition half_cheetah() {
  return define(
      {.id = "HalfCheetah-v4",
       .observation_size = 17,
       .action_size = 6,
       .horizon = 100,
       .options =
           {.model = "half_cheetah", .substeps = 5, .start_noise = 0.1, .normal_speeds = true, .control_cost = 0.1},
       .returns = {{.random = -28.5, .best = 163.1}}});
}

EnvironmentDefinition swimmer() {
  return define({.id = "Swimmer-v4",
                 .observation_size = 8,
                 .action_size = 2,
                 .horizon = 200,
                 .options = {.model = "swimmer", .substeps = 4, .hidden = 2, .start_noise = 0.1, .control_cost = 1e-4},
                 .returns = {{.random = 0.42, .best = 61.9}}});
}

EnvironmentDefinition hopper() {
  return define({.id = "Hopper-v4",
                 .observation_size = 11,
                 .action_size = 3,
                 .horizon = 1000,
                 .options = upright("hopper", hopper_healthy)});
}

EnvironmentDefinition walker2d() {
  return define({.id = "Walker2d-v4",
                 .observation_size = 17,
                 .action_size = 6,
                 .horizon = 1000,
                 .options = upright("walker2d", walker2d_healthy)});
}

EnvironmentDefinition ant() {
  return define({.id = "Ant-v4",
                 .observation_size = 27,
                 .action_size = 8,
                 .horizon = 1000,
                 .options = {.model = "ant",
                             .substeps = 5,
                             .hidden = 2,
                             .start_noise = 0.1,
                             .normal_speeds = true,
                             .control_cost = 0.5,
                             .alive_reward = 1.0,
                             .healthy = ant_healthy,
                             .body_x = true}});
}

}  // namespace retropg
