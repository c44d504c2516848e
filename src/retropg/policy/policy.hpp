#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/policy/evidence.hpp"
#include "retropg/trajectory/segment.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Acts in a block of lanes.
class Actor {
 public:
  virtual ~Actor() = default;
  /// Actions and their residuals a - mu in the first `active` lanes for rows of observations; noise[u] is the row of
  /// standard normals for action u. `theta` is the same for all lanes.
  virtual void act(Parameters theta, Index active, const double* observations, const double* const* noise,
                   double* actions, double* residuals) = 0;
};

/// Digests the steps of a block of lanes into evidence while they are simulated, so that steps need not be kept.
class Gatherer {
 public:
  virtual ~Gatherer() = default;
  virtual void add(const Segment& segment) = 0;
  /// The lane's trajectory has ended: its digest goes to place `trajectory` of `evidence`, and the lane starts anew.
  /// False if the digest holds a number that is not finite.
  virtual bool finish(Index lane, Index trajectory, double value, Evidence& evidence) = 0;
  /// Lane `to` goes on with the trajectory of lane `from`, which starts anew.
  virtual void move(Index from, Index to) = 0;
};

/// A family of stochastic policies a ~ N(mu_theta(s), diag sigma^2). The object holds the architecture only; parameters
/// are always an argument, so one object serves every iterate of the window and is never set and restored.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual Index observation_size() const = 0;
  virtual Index action_size() const = 0;
  virtual Index parameter_count() const = 0;
  virtual std::vector<double> initial_parameters(std::uint64_t seed) const = 0;

  virtual std::unique_ptr<Actor> actor(Index lanes) const = 0;

  /// Null if this policy's evidence is made of steps: the collector then keeps steps and calls `digest`.
  virtual std::unique_ptr<Gatherer> gatherer(Index lanes, Credit credit) const = 0;

  /// Empty evidence for `trajectories` trajectories of behaviour theta, to be filled by gatherers.
  virtual std::unique_ptr<Evidence> evidence(Parameters theta, Index trajectories) const = 0;

  /// Evidence from kept steps: the same bits as gathering them in a simulation.
  virtual std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch, double discount,
                                           Credit credit) const = 0;

  /// Evidence from the numbers of a checkpoint.
  virtual std::unique_ptr<Evidence> restore(Parameters theta, Index trajectories,
                                            std::span<const double> numbers) const = 0;

  /// Upper bound of the bytes a trajectory of at most `horizon` steps costs in the window.
  virtual Index bytes_per_trajectory(Index horizon) const = 0;

  /// Mean action for one observation: the deterministic policy.
  virtual void mean(Parameters theta, std::span<const double> observation, std::span<double> action) const = 0;
};

}  // namespace retropg
