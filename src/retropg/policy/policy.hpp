#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "retropg/core/random.hpp"
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

  /// Whether the policy draws the parameters it acts with once a trajectory; only then are the next two called.
  virtual bool draws_parameters() const { return false; }
  /// A trajectory starts in a lane: its parameters are drawn from `random`, or are their mean if that is null, and are
  /// handed out.
  virtual std::span<const double> start(Parameters /*theta*/, Index /*lane*/, RandomStream* /*random*/) { return {}; }
  /// Lane `to` goes on with the trajectory of lane `from`.
  virtual void move(Index /*from*/, Index /*to*/) {}
};

/// Acts with the mean in a block of lanes, each lane with parameters of its own.
class LaneMeans {
 public:
  virtual ~LaneMeans() = default;
  virtual void set(Index lane, Parameters theta) = 0;
  /// Lane `to` goes on with the parameters of lane `from`.
  virtual void move(Index from, Index to) = 0;
  /// Mean actions in the first `active` lanes for rows of observations.
  virtual void act(Index active, const double* observations, double* actions) = 0;
};

/// Digests the steps of a block of lanes into evidence while they are simulated, so that steps need not be kept.
class Gatherer {
 public:
  virtual ~Gatherer() = default;
  /// A trajectory starts in a lane; `sampled` is what the actor drew for it.
  virtual void start(Index /*lane*/, std::span<const double> /*sampled*/) {}
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

  /// Empty evidence for `trajectories` trajectories of behavior theta, to be filled by gatherers.
  virtual std::unique_ptr<Evidence> evidence(Parameters theta, Index trajectories) const = 0;

  /// Evidence from kept steps: the same bits as gathering them in a simulation.
  virtual std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch, double discount,
                                           Credit credit) const {
    return digest(theta, batch, step_credits(batch, discount, credit));
  }

  /// Evidence from kept steps with given credits: one a step, or, from a policy with component_credits(), one for each
  /// step and parameter.
  virtual std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch,
                                           std::span<const double> credits) const = 0;

  /// Whether a step's credit may differ between parameters; worthwhile where there are few of them.
  virtual bool component_credits() const = 0;

  /// Whether the mean is linear in the parameters, so that a weighted log-likelihood has its maximum in closed form.
  virtual bool linear_mean() const = 0;

  /// sum_{l <= t} grad log pi_theta(a_l | s_l) after every step t of one trajectory: parameter_count numbers a step.
  virtual void running_scores(Parameters theta, const TrajectoryBatch& batch, Index trajectory,
                              std::vector<double>& scores) const = 0;

  /// Evidence from the numbers of a checkpoint.
  virtual std::unique_ptr<Evidence> restore(Parameters theta, Index trajectories,
                                            std::span<const double> numbers) const = 0;

  /// Upper bound of the bytes a trajectory of at most `horizon` steps costs in the window.
  virtual Index bytes_per_trajectory(Index horizon) const = 0;

  /// Mean action for one observation: the deterministic policy.
  virtual void mean(Parameters theta, std::span<const double> observation, std::span<double> action) const = 0;

  /// The same for a block of lanes, for policies that draw parameters; without an override `mean` lane by lane.
  virtual std::unique_ptr<LaneMeans> lane_means(Index lanes) const;
};

}  // namespace retropg
