#include <mujoco/mujoco.h>

#include <array>
#include <cmath>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/mujoco_block.hpp"

namespace retropg {
namespace {

constexpr double kPositionNoise = 0.1;
constexpr double kSpeedNoise = 0.005;
constexpr double kTargetDistance = 0.2;       // maximum distance from the shoulder
constexpr Index kFingertip = 3, kTarget = 4;  // bodies

std::array<double, 3> fingertip_from_target(const mjData& data) {
  const mjtNum *from = data.xpos + 3 * kTarget, *to = data.xpos + 3 * kFingertip;
  return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

/// A two-link arm with joints qpos[0] and qpos[1] reaches for a target at (qpos[2], qpos[3]). Observes the cosines and
/// then the sines of the joint angles, the target, the joint velocities and the vector from target to fingertip.
/// r = -|fingertip - target| - |a|^2 with the positions before the step; never terminates.
class Reacher final : public MujocoBlock {
 public:
  explicit Reacher(Index lanes) : MujocoBlock("reacher", 2, lanes) {}

 private:
  void scatter(RandomStream& random, mjData& data) const override {
    add_uniform(random, kPositionNoise, positions(data).first(2));
    do {
      for (int i : {2, 3}) data.qpos[i] = random.uniform(-kTargetDistance, kTargetDistance);
    } while (std::hypot(data.qpos[2], data.qpos[3]) >= kTargetDistance);
    add_uniform(random, kSpeedNoise, velocities(data).first(2));
  }

  void observe(const mjData& data, LaneWriter observation) const override {
    for (const double angle : positions(data).first(2)) observation.add(std::cos(angle));
    for (const double angle : positions(data).first(2)) observation.add(std::sin(angle));
    observation.add(positions(data).subspan(2));
    observation.add(velocities(data).first(2));
    observation.add(fingertip_from_target(data));
  }

  Transition advance(mjData& data) const override {
    const auto [x, y, z] = fingertip_from_target(data);
    simulate(data);
    return {.reward = -std::sqrt(x * x + y * y + z * z) - effort(data)};
  }
};

}  // namespace

EnvironmentDefinition reacher() {
  return {.id = "Reacher-v4",
          .observation_size = 11,
          .action_size = 2,
          .horizon = 50,
          .discount = 1.0,
          .most_lanes = kMujocoLanes,
          .make = [](Index lanes) { return std::make_unique<Reacher>(lanes); },
          .action_ranges = {{-1.0, 1.0}, {-1.0, 1.0}},
          .observation_names = {"shoulder_cos", "elbow_cos", "shoulder_sin", "elbow_sin", "target_x", "target_y",
                                "shoulder_speed", "elbow_speed", "distance_x", "distance_y", "distance_z"},
          .action_names = {"shoulder", "elbow"},
          .range = [](Index, double) { return ReturnRange{.largest = 0.0}; },
          .references = measured_for(50, {.random = -42.98, .best = -5.87})};
}

}  // namespace retropg
