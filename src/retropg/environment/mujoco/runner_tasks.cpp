#include <algorithm>
#include <cmath>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/runner.hpp"

namespace retropg {
namespace {

using Numbers = std::span<const double>;

using Names = std::vector<std::string>;

struct RunnerTask {
  std::string id;
  Index horizon;
  Names positions, velocities, actions;  // the observed positions and velocities; every action is in [-1, 1]
  RunnerOptions options;
  std::optional<ReferenceReturns> returns{};  // at this horizon
};

Names speeds(Names names) {
  for (std::string& name : names) name += "_speed";
  return names;
}

Names operator+(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

EnvironmentDefinition define(const RunnerTask& task) {
  return {.id = task.id,
          .observation_size = std::ssize(task.positions) + std::ssize(task.velocities),
          .action_size = std::ssize(task.actions),
          .horizon = task.horizon,
          .discount = 1.0,
          .most_lanes = kMujocoLanes,
          .make = [options = task.options](Index lanes) { return std::make_unique<Runner>(options, lanes); },
          .action_ranges = std::vector<ActionRange>(task.actions.size(), {-1.0, 1.0}),
          .observation_names = task.positions + task.velocities,
          .action_names = task.actions,
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
  const Names joints = {"back_thigh", "back_shin", "back_foot", "front_thigh", "front_shin", "front_foot"};
  const Names observed = Names{"z", "pitch"} + joints;
  return define(
      {.id = "HalfCheetah-v4",
       .horizon = 100,
       .positions = observed,
       .velocities = speeds(Names{"x"} + observed),
       .actions = joints,
       .options =
           {.model = "half_cheetah", .substeps = 5, .start_noise = 0.1, .normal_speeds = true, .control_cost = 0.1},
       .returns = {{.random = -28.5, .best = 193.4}}});
}

EnvironmentDefinition swimmer() {
  const Names joints = {"front_bend", "back_bend"}, observed = Names{"yaw"} + joints;
  return define({.id = "Swimmer-v4",
                 .horizon = 200,
                 .positions = observed,
                 .velocities = speeds(Names{"x", "y"} + observed),
                 .actions = joints,
                 .options = {.model = "swimmer", .substeps = 4, .hidden = 2, .start_noise = 0.1, .control_cost = 1e-4},
                 .returns = {{.random = 0.42, .best = 61.9}}});
}

EnvironmentDefinition hopper() {
  const Names joints = {"hip", "knee", "ankle"}, observed = Names{"z", "pitch"} + joints;
  return define({.id = "Hopper-v4",
                 .horizon = 1000,
                 .positions = observed,
                 .velocities = speeds(Names{"x"} + observed),
                 .actions = joints,
                 .options = upright("hopper", hopper_healthy)});
}

EnvironmentDefinition walker2d() {
  const Names joints = {"right_hip", "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle"};
  const Names observed = Names{"z", "pitch"} + joints;
  return define({.id = "Walker2d-v4",
                 .horizon = 1000,
                 .positions = observed,
                 .velocities = speeds(Names{"x"} + observed),
                 .actions = joints,
                 .options = upright("walker2d", walker2d_healthy)});
}

EnvironmentDefinition ant() {
  const Names joints = {"front_left_hip", "front_left_ankle", "front_right_hip", "front_right_ankle",
                        "back_left_hip",  "back_left_ankle",  "back_right_hip",  "back_right_ankle"};
  Names motors = joints;
  std::rotate(motors.begin(), motors.end() - 2, motors.end());  // the last leg's motors come first
  return define({.id = "Ant-v4",
                 .horizon = 1000,
                 .positions = Names{"z", "quaternion_w", "quaternion_x", "quaternion_y", "quaternion_z"} + joints,
                 .velocities = speeds(Names{"x", "y", "z", "roll", "pitch", "yaw"} + joints),
                 .actions = motors,
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
