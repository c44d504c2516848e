#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/mujoco_block.hpp"

namespace retropg {
namespace {

constexpr double kStartNoise = 0.1;
constexpr double kLimit = 10.0;          // of observed velocities and forces
constexpr double kHighestReward = 9.36;  // both poles, 0.6 long, straight up and at rest: 10 - (1.2 - 2)^2

double square(double x) {
  return x * x;
}

/// Two poles on a cart. Observes the cart's position, the sines and then the cosines of the angles, and velocities and
/// constraint forces, both clipped to [-10, 10]. With the tip at (x, y):
///   r = 10 - 0.01 x^2 - (y - 2)^2 - 0.001 w1^2 - 0.005 w2^2,
/// also for the terminating step; terminates when y <= 1.
class InvertedDoublePendulum final : public MujocoBlock {
 public:
  explicit InvertedDoublePendulum(Index lanes) : MujocoBlock("inverted_double_pendulum", 5, lanes) {}

 private:
  void scatter(RandomStream& random, mjData& data) const override {
    add_uniform(random, kStartNoise, positions(data));
    add_normal(random, kStartNoise, velocities(data));
  }

  void observe(const mjData& data, LaneWriter observation) const override {
    observation.add(data.qpos[0]);
    for (const double angle : positions(data).subspan(1)) observation.add(std::sin(angle));
    for (const double angle : positions(data).subspan(1)) observation.add(std::cos(angle));
    for (const double speed : velocities(data)) observation.add(std::clamp(speed, -kLimit, kLimit));
    for (int i = 0; i < model().nv; ++i) observation.add(std::clamp(data.qfrc_constraint[i], -kLimit, kLimit));
  }

  Transition advance(mjData& data) const override {
    simulate(data);
    const double x = data.site_xpos[0], y = data.site_xpos[2];  // the tip is the only site
    const double distance = 0.01 * square(x) + square(y - 2.0);
    const double speed = 1e-3 * square(data.qvel[1]) + 5e-3 * square(data.qvel[2]);
    return {.reward = 10.0 - distance - speed, .terminated = y <= 1.0};
  }
};

}  // namespace

EnvironmentDefinition inverted_double_pendulum() {
  return {.id = "InvertedDoublePendulum-v4",
          .observation_size = 11,
          .action_size = 1,
          .horizon = 1000,
          .discount = 1.0,
          .most_lanes = kMujocoLanes,
          .make = [](Index lanes) { return std::make_unique<InvertedDoublePendulum>(lanes); },
          .action_ranges = {{-1.0, 1.0}},
          .observation_names = {"x", "lower_angle_sin", "upper_angle_sin", "lower_angle_cos", "upper_angle_cos",
                                "x_speed", "lower_angle_speed", "upper_angle_speed", "x_force", "lower_angle_force",
                                "upper_angle_force"},
          .action_names = {"x"},
          .range =
              [](Index horizon, double discount) {
                return ReturnRange{.largest = kHighestReward * discounted_steps(horizon, discount)};
              },
          .references = measured_for(1000, {.random = 57.3, .best = 1000 * kHighestReward})};
}

}  // namespace retropg
