#include "retropg/configuration/builtin.hpp"
#include "retropg/configuration/builtin_keys.hpp"

#include <cmath>

#include "retropg/environment/bandit.hpp"
#include "retropg/environment/linear_quadratic.hpp"
#include "retropg/environment/mujoco.hpp"

namespace retropg {
namespace {

EnvironmentDefinition make_linear_quadratic(const Configuration& configuration) {
  const LqrSettings& settings = configuration.lqr;
  LinearQuadraticOptions options;
  if (!settings.dynamics.empty()) options.dynamics = settings.dynamics;
  if (!settings.input.empty()) options.input = settings.input;
  if (!settings.state_cost.empty()) options.state_cost = settings.state_cost;
  if (!settings.action_cost.empty()) options.action_cost = settings.action_cost;
  options.process_noise = settings.process_noise.value_or(options.process_noise);
  const auto states = as_size(std::lround(std::sqrt(static_cast<double>(options.dynamics.size()))));
  options.start_range.assign(states, settings.start_range.value_or(options.start_range.front()));
  return linear_quadratic(options);
}

EnvironmentDefinition make_bandit(const Configuration& configuration) {
  BanditOptions options;
  options.target = configuration.bandit.target.value_or(options.target);
  options.width = configuration.bandit.width.value_or(options.width);
  return gaussian_bandit(options);
}

/// An entry for a MuJoCo environment, listed even in a build without MuJoCo.
EnvironmentEntry mujoco_entry(std::string name, std::vector<std::string> aliases, std::string description,
                              EnvironmentDefinition (*make)()) {
  if (mujoco_version().empty()) description = "not in this build (no MuJoCo)";
  return {{std::move(name), std::move(aliases), std::move(description), actuated_keys},
          [make](const Configuration&) { return make(); }};
}

}  // namespace

std::vector<EnvironmentEntry> builtin_environments() {
  return {
      {{"CartPoleContinuous-v0",
        {"CartPole"},
        "the paper's Cart Pole with a continuous force, T = 200",
        simulation_keys},
       [](const Configuration&) { return cart_pole(); }},
      {{"CartPole-v1", {}, "Gymnasium's Cart Pole, pushed to the left or right, T = 500", simulation_keys},
       [](const Configuration&) { return pushed_cart_pole(); },
       true},
      {{"LinearQuadratic-v0",
        {"LQR"},
        "linear dynamics, quadratic cost, known J and gradient, T = 20",
        linear_quadratic_keys},
       make_linear_quadratic},
      {{"GaussianBandit-v0", {"Bandit"}, "one step, bell-shaped reward, known J and gradient", bandit_keys},
       make_bandit},
      mujoco_entry("HalfCheetah-v4", {"HalfCheetah"}, "MuJoCo: a planar runner with two legs, T = 100", half_cheetah),
      mujoco_entry("Swimmer-v4", {"Swimmer"}, "MuJoCo: three rods in a fluid, T = 200", swimmer),
      mujoco_entry("Hopper-v4", {"Hopper"}, "MuJoCo: a planar leg that must not fall, T = 1000", hopper),
      mujoco_entry("Walker2d-v4", {"Walker2d"}, "MuJoCo: two planar legs that must not fall, T = 1000", walker2d),
      mujoco_entry("InvertedPendulum-v4", {"InvertedPendulum"}, "MuJoCo: a pole on a cart, T = 1000",
                   inverted_pendulum),
      mujoco_entry("InvertedDoublePendulum-v4", {"InvertedDoublePendulum"}, "MuJoCo: two poles on a cart, T = 1000",
                   inverted_double_pendulum),
      mujoco_entry("Reacher-v4", {"Reacher"}, "MuJoCo: an arm and a target in the plane, T = 50", reacher),
      mujoco_entry("Ant-v4", {"Ant"}, "MuJoCo: four legs that run, T = 1000", ant),
  };
}

}  // namespace retropg
