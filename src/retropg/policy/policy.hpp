#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "retropg/core/random.hpp"
#include "retropg/core/types.hpp"
#include "retropg/policy/actor.hpp"
#include "retropg/policy/evidence.hpp"
#include "retropg/trajectory/segment.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Digests the steps of a block of lanes while they are simulated, so that steps need not be kept.
class Gatherer {
 public:
  virtual ~Gatherer() = default;
  /// A trajectory starts in a lane; `sampled` are the parameters drawn for it, if any.
  virtual void start(Index /*lane*/, Parameters /*sampled*/) {}
  virtual void add(const Segment& segment) = 0;
  /// The lane's trajectory has ended: its digest goes to place `trajectory` of `evidence`, and the lane starts over.
  /// False if the digest holds a number that is not finite.
  virtual bool finish(Index lane, Index trajectory, double value, Evidence& evidence) = 0;
  /// Lane `to` continues the trajectory of lane `from`, which starts over.
  virtual void move(Index from, Index to) = 0;
};

/// Of policies whose evidence is gathered while simulating.
class Gathering {
 public:
  virtual ~Gathering() = default;
  virtual std::unique_ptr<Gatherer> gatherer(Index lanes, Credit credit) const = 0;
  /// Evidence for `trajectories` trajectories of behavior theta, to be filled by gatherers.
  virtual std::unique_ptr<Evidence> empty_evidence(Parameters theta, Index trajectories) const = 0;
};

/// What only some policies can do. The first three are interfaces of their evidence (policy/evidence.hpp).
enum class Capability {
  kSteps,             // StepwiseEvidence
  kFisher,            // FisherEvidence
  kRenyiGradient,     // RenyiGradientEvidence
  kComponentCredits,  // `digest` takes a credit for each parameter of a step
  kSpread,            // actions are mean + spread sigma noise: log pi at a spread is log pi / spread^2 - d_a log spread
  kConcave,           // log pi is quadratic in theta: a weighted log-likelihood has its maximum in closed form
};

class Sampler;

/// A family of stochastic policies pi_theta(a | s). The object holds the architecture only; parameters are always an
/// argument, so one object serves every iterate of the window.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual Index observation_size() const = 0;
  virtual Index action_size() const = 0;
  virtual Index parameter_count() const = 0;
  virtual std::vector<double> initial_parameters(std::uint64_t seed) const = 0;

  virtual bool provides(Capability capability) const = 0;
  /// Whether the evidence knows the closed-form Renyi divergence of this order > 1.
  virtual bool has_renyi(double order) const = 0;

  virtual std::unique_ptr<Actor> actor(Index lanes, Acting acting) const = 0;

  /// Null if the evidence is made of steps: the collector then keeps steps and calls `digest`.
  virtual const Gathering* gathering() const { return nullptr; }

  /// Evidence from kept steps: the same bits as gathering them in a simulation.
  virtual std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch, double discount,
                                           Credit credit) const {
    return digest(theta, batch, step_credits(batch, discount, credit));
  }

  /// Evidence from kept steps with given credits: one per step, or, with Capability::kComponentCredits, one for each
  /// step and parameter.
  virtual std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch,
                                           std::span<const double> credits) const = 0;

  /// Whether the evidence is this policy's, made at this behavior.
  virtual bool made(const Evidence& evidence, Parameters behavior) const = 0;

  /// Evidence from the numbers of a checkpoint.
  virtual std::unique_ptr<Evidence> restore(Parameters theta, Index trajectories,
                                            std::span<const double> numbers) const = 0;

  /// Upper bound on the bytes a trajectory of at most `horizon` steps costs in the window.
  virtual Index bytes_per_trajectory(Index horizon) const = 0;

  /// sum_{l <= t} grad log pi_theta(a_l | s_l) after every step t of one trajectory: parameter_count numbers per step.
  virtual void running_scores(Parameters theta, const TrajectoryBatch& batch, Index trajectory,
                              std::vector<double>& scores) const = 0;

  /// Mean action for one observation: the deterministic policy.
  virtual void mean(Parameters theta, std::span<const double> observation, std::span<double> action) const = 0;

  /// The same for a block of lanes, for policies whose parameters are drawn. Calls `mean` lane by lane unless
  /// overridden.
  virtual std::unique_ptr<LaneMeans> lane_means(Index lanes) const;

  /// Acts for one trajectory outside the collector, with the random numbers of `random` (policy/sampler.hpp).
  Sampler sample(Parameters theta, const RandomStream& random, double spread = 1.0) const;
};

}  // namespace retropg
