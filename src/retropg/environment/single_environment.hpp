#pragma once

#include <functional>
#include <memory>
#include <span>

#include "retropg/core/random.hpp"
#include "retropg/environment/environment.hpp"

namespace retropg {

/// What one step of one trajectory did.
struct StepResult {
  double reward = 0.0;
  bool terminated = false;  // no further reward is possible
  bool truncated = false;   // the trajectory ends here although it could go on; termination goes first
};

/// A Markov decision process that simulates one trajectory at a time: what a simulator of one's own has to implement.
/// Contract: after `reset` with the same stream, the same actions give the same bits, whatever came before. Random
/// numbers come from that stream only; keep a copy of it for noise during steps. The horizon is enforced elsewhere.
class SingleEnvironment {
 public:
  virtual ~SingleEnvironment() = default;

  /// Starts a trajectory and writes its first observation.
  virtual void reset(RandomStream& random, std::span<double> observation) = 0;

  /// Simulates one step and writes the observation after it. The action is as sampled, not clipped.
  virtual StepResult step(std::span<const double> action, std::span<double> observation) = 0;
};

using MakeSingleEnvironment = std::function<std::unique_ptr<SingleEnvironment>()>;

/// The definition with blocks of such objects, one per lane. `definition.make` is ignored. `make` is called by one
/// thread at a time; an object is used by one thread at a time, but objects of different threads at the same time.
/// A block has at most 64 lanes, or `definition.most_lanes` if that is less: lanes do not make such a simulator faster.
/// Throws Error if `make` is empty; a null pointer from it throws Error when trajectories are simulated.
EnvironmentDefinition from_single(EnvironmentDefinition definition, MakeSingleEnvironment make);

}  // namespace retropg
