#include <mujoco/mujoco.h>

#include <cmath>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/mujoco_block.hpp"

namespace retropg {
namespace {

constexpr double kStartNoise = 0.01;
constexpr double kLargestAngle = 0.2;

/// A pole on a cart: observes qpos and qvel; r = 1, also for the terminating step; terminates when |angle| > 0.2.
class InvertedPendulum final : public MujocoBlock {
 public:
  explicit InvertedPendulum(Index lanes) : MujocoBlock("inverted_pendulum", 2, lanes) {}

 private:
  void scatter(RandomStream& random, mjData& data) const override {
    add_uniform(random, kStartNoise, positions(data));
    add_uniform(random, kStartNoise, velocities(data));
  }

  void observe(const mjData& data, LaneWriter observation) const override {
    observation.add(positions(data));
    observation.add(velocities(data));
  }

  Transition advance(mjData& data) const override {
    simulate(data);
    return {.reward = 1.0, .terminated = std::abs(data.qpos[1]) > kLargestAngle};
  }
};

}  // namespace

EnvironmentDefinition inverted_pendulum() {
  return {.id = "InvertedPendulum-v4",
          .observation_size = 4,
          .action_size = 1,
          .horizon = 1000,
          .discount = 1.0,
          .most_lanes = kMujocoLanes,
          .make = [](Index lanes) { return std::make_unique<InvertedPendulum>(lanes); },
          .action_ranges = {{-3.0, 3.0}},
          .observation_names = {"x", "angle", "x_speed", "angle_speed"},
          .action_names = {"x"},
          .range = one_per_step,
          .references = measured_for(1000, {.random = 6.05, .best = 1000.0})};
}

}  // namespace retropg
