#include "retropg/environment/mujoco/runner.hpp"

#include <mujoco/mujoco.h>

#include <algorithm>

namespace retropg {

Runner::Runner(const RunnerOptions& options, Index lanes)
    : MujocoBlock(options.model, options.substeps, lanes), options_(options) {}

void Runner::scatter(RandomStream& random, mjData& data) const {
  add_uniform(random, options_.start_noise, positions(data));
  (options_.normal_speeds ? add_normal : add_uniform)(random, options_.start_noise, velocities(data));
}

void Runner::observe(const mjData& data, LaneWriter observation) const {
  const double limit = options_.observed_speed;
  observation.add(positions(data).subspan(options_.hidden));
  for (const double speed : velocities(data)) observation.add(std::clamp(speed, -limit, limit));
}

Transition Runner::advance(mjData& data) const {
  const mjtNum& x = options_.body_x ? data.xpos[3] : data.qpos[0];
  const double before = x;
  simulate(data);
  const double speed = (x - before) / duration();
  return {.reward = speed + options_.alive_reward - options_.control_cost * effort(data),
          .terminated = options_.healthy != nullptr && !options_.healthy(positions(data), velocities(data))};
}

}  // namespace retropg
