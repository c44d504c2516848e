#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "retropg/core/random.hpp"
#include "retropg/core/types.hpp"
#include "retropg/policy/actor.hpp"
#include "retropg/policy/evidence.hpp"
#include "retropg/policy/policy_description.hpp"
#include "retropg/trajectory/segment.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Accumulates evidence from a block of lanes while they are simulated, so that steps need not be stored.
class Gatherer {
 public:
  virtual ~Gatherer() = default;
  /// Called when a trajectory starts in a lane; `sampled` holds the parameters drawn for it, if any.
  virtual void start(Index /*lane*/, Parameters /*sampled*/) {}
  virtual void add(const Segment& segment) = 0;
  /// Called when the lane's trajectory has ended: writes what was accumulated to `evidence` at index `trajectory` and
  /// resets the lane. `value` is the discounted return.
  virtual void finish(Index lane, Index trajectory, double value, Evidence& evidence) = 0;
  /// Whether `squares` returns something, which it does if it costs nothing.
  virtual bool has_squares() const { return false; }
  /// The sum of the squares of all observations the lane's trajectory acted on, to see whether one of them is broken
  /// (trajectory/broken_number.hpp).
  virtual double squares(Index /*lane*/) const { return 0.0; }
  /// Lane `to` continues the trajectory of lane `from`, which is reset.
  virtual void move(Index from, Index to) = 0;
};

/// Interface of policies whose evidence is accumulated during simulation.
class Gathering {
 public:
  virtual ~Gathering() = default;
  virtual std::unique_ptr<Gatherer> gatherer(Index lanes, Credit credit) const = 0;
  /// Empty evidence for `trajectories` trajectories at behavior theta, to be filled by gatherers.
  virtual std::unique_ptr<Evidence> empty_evidence(Parameters theta, Index trajectories) const = 0;
  /// Called once the gatherers have finished all its trajectories, before anyone else reads the evidence.
  virtual void settle(Evidence& /*evidence*/) const {}
};

/// What only some policies support. The first five are interfaces of their evidence (policy/evidence.hpp).
enum class Capability {
  kSteps,             // StepwiseEvidence
  kFisher,            // FisherEvidence
  kRenyiGradient,     // RenyiGradientEvidence
  kDivergence,        // DivergenceEvidence
  kDrawnParameters,   // DrawnParametersEvidence
  kComponentCredits,  // `digest` accepts one credit per step and parameter
  // What is drawn, actions or parameters, is mean + spread * sigma * noise, so its log-density, without the constant,
  // becomes log pi / spread^2 - size * log(spread).
  kSpread,
  kConcave,  // log pi is quadratic in theta: the maximum of a weighted log-likelihood has a closed form
};

class Sampler;

/// A family of stochastic policies pi_theta(a | s). The object holds only the architecture; parameters are always
/// passed in, so one object serves the parameters of every batch in the window.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual Index observation_size() const = 0;
  virtual Index action_size() const = 0;
  virtual Index parameter_count() const = 0;
  virtual std::vector<double> initial_parameters(std::uint64_t seed) const = 0;

  virtual bool provides(Capability capability) const = 0;
  /// Whether the evidence can compute `renyi` (Evidence::compare) of this order > 1 in closed form.
  virtual bool has_renyi(double order) const = 0;

  virtual std::unique_ptr<Actor> actor(Index lanes, Acting acting) const = 0;

  /// Null if evidence is made from stored steps: the collector then stores them and calls `digest`.
  virtual const Gathering* gathering() const { return nullptr; }

  /// Makes evidence from stored steps; identical, bit for bit, to what a Gatherer accumulates during simulation.
  virtual std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch, double discount,
                                           Credit credit) const {
    return digest(theta, batch, step_credits(batch, discount, credit));
  }

  /// Makes evidence from stored steps with the given credits: one per step, or one per step and parameter with
  /// Capability::kComponentCredits.
  virtual std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& batch,
                                           std::span<const double> credits) const = 0;

  /// Whether this policy made this evidence, at this behavior.
  virtual bool made(const Evidence& evidence, Parameters behavior) const = 0;

  /// Rebuilds evidence from the numbers in a saved state.
  virtual std::unique_ptr<Evidence> restore(Parameters theta, Index trajectories,
                                            std::span<const double> numbers) const = 0;

  /// Upper bound, in bytes, on the evidence of a trajectory of at most `horizon` steps.
  virtual Index bytes_per_trajectory(Index horizon) const = 0;

  /// Upper bound, in bytes, on what an EvidencePass keeps for a batch of such trajectories.
  virtual Index bytes_of_pass(Index /*trajectories*/, Index /*horizon*/) const { return 0; }

  /// sum_{l <= t} grad log pi_theta(a_l | s_l) after every step t of one trajectory: parameter_count numbers per step.
  virtual void running_scores(Parameters theta, const TrajectoryBatch& batch, Index trajectory,
                              std::vector<double>& scores) const = 0;

  /// How to make this policy again, so that it can be saved as it is; unset: it cannot.
  virtual std::optional<PolicyDescription> description() const { return std::nullopt; }

  /// The standard deviation of each action about its `mean` if actions are Gaussian, given the state; else empty.
  virtual std::span<const double> action_deviations() const { return {}; }

  /// Mean action for one observation: the deterministic policy.
  virtual void mean(Parameters theta, std::span<const double> observation, std::span<double> action) const = 0;

  /// The same for a block of lanes, each with its own parameters, for hyperpolicies. The default calls `mean` lane by
  /// lane.
  virtual std::unique_ptr<LaneMeans> lane_means(Index lanes) const;

  /// Returns an object that acts for one trajectory outside the collector, with random numbers from `random`
  /// (policy/sampler.hpp).
  Sampler sample(Parameters theta, const RandomStream& random, double spread = 1.0) const;
};

}  // namespace retropg
