#pragma once

#include <string>

#include "retropg/environment/environment.hpp"

namespace retropg {

/// The MuJoCo version of this build, such as "4.0.0"; empty in a build without MuJoCo, where the functions below throw.
std::string mujoco_version();

// Gymnasium's environments with the same ids, bit for bit where both use the same MuJoCo. gamma = 1. Actuators clamp
// the action to their range inside the simulator; control costs use the action as sampled.

/// "HalfCheetah-v4": 17 observations, 6 actions, never terminates, T = 100 as in the paper.
EnvironmentDefinition half_cheetah();
/// "Swimmer-v4": 8 observations, 2 actions, never terminates, T = 200 as in the paper.
EnvironmentDefinition swimmer();
/// "Hopper-v4": 11 observations, 3 actions, terminates when it falls, T = 1000.
EnvironmentDefinition hopper();
/// "Walker2d-v4": 17 observations, 6 actions, terminates when it falls, T = 1000.
EnvironmentDefinition walker2d();
/// "InvertedPendulum-v4": 4 observations, 1 action, terminates when |angle| > 0.2, T = 1000.
EnvironmentDefinition inverted_pendulum();
/// "InvertedDoublePendulum-v4": 11 observations, 1 action, terminates when the tip is at height 1 or below, T = 1000.
EnvironmentDefinition inverted_double_pendulum();
/// "Reacher-v4": 11 observations, 2 actions, never terminates, T = 50.
EnvironmentDefinition reacher();
/// "Ant-v4": 27 observations (no contact forces), 8 actions, terminates outside heights 0.2 to 1, T = 1000.
EnvironmentDefinition ant();

}  // namespace retropg
