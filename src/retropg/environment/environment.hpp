#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "retropg/core/random.hpp"
#include "retropg/core/types.hpp"

namespace retropg {

/// One step of a block of lanes. Every array is made of rows of `lanes` numbers: number i of lane l stands at
/// i * lanes + l.
struct LaneStep {
  Index lanes;
  Index active;                     // only the first `active` lanes (a multiple of kChunk) are in use
  std::span<const double> live;     // 1 where the lane's trajectory goes on; other lanes may hold anything
  std::span<const double> actions;  // as sampled: clip your own copy
  std::span<double> observations;   // to be written: after the step
  std::span<double> rewards;        // to be written
  std::span<double> terminated;     // to be written: 1 where the trajectory ends here, else 0
};

/// A Markov decision process, many trajectories at a time: an object is one block of lanes, and no lane knows another.
/// Contract: after `reset` with the same stream the same actions give the same bits, whatever the lane held before and
/// whatever the other lanes do. The horizon belongs to the rollout, not to the environment.
class Environment {
 public:
  virtual ~Environment() = default;

  /// Starts a trajectory in one lane and writes its first observation into that lane's column of `observations`.
  virtual void reset(Index lane, RandomStream& random, std::span<double> observations) = 0;

  /// Takes one step in every live lane.
  virtual void step(const LaneStep& step) = 0;

  /// Lane `to` goes on with the trajectory of lane `from`, which is then free: live lanes are kept side by side.
  virtual void move(Index from, Index to) = 0;
};

/// What an environment is and how a block of it is made. A block has `lanes` lanes, a multiple of kChunk.
struct EnvironmentDefinition {
  std::string id;
  Index observation_size = 0;
  Index action_size = 0;
  Index horizon = 0;
  double discount = 1.0;
  Index most_lanes =
      1024;  // lanes worth simulating side by side: few where a lane's state is large and should stay in the cache
  std::function<std::unique_ptr<Environment>(Index lanes)> make;
};

/// Throws Error that names the environment if it cannot be simulated: no maker, no lanes, a horizon below 1, sizes
/// below 1, or a discount outside [0, 1].
void check(const EnvironmentDefinition& environment);

/// The paper's continuous Cart Pole: T = 200, gamma = 1 (docs/environments.md has its equations).
EnvironmentDefinition cart_pole();

}  // namespace retropg
