#pragma once

#include <memory>
#include <span>

#include "retropg/core/random.hpp"
#include "retropg/core/types.hpp"

namespace retropg {

/// Whether a policy samples its actions or takes their mean.
enum class Acting { kSample, kMean };

/// The random numbers an actor consumes per lane and step.
struct Noise {
  enum class Kind { kNormal, kUniform };  // standard normal; uniform in [0, 1)
  Kind kind = Kind::kNormal;
  Index count = 0;
};

/// Interface of an actor that draws the parameters it acts with once per trajectory.
class ParameterSampler {
 public:
  virtual ~ParameterSampler() = default;
  /// Starts a trajectory in a lane and returns the parameters drawn for it, with `spread` times the policy's standard
  /// deviations: 0 takes their mean.
  virtual Parameters start(Parameters theta, double spread, Index lane, RandomStream& random) = 0;
  /// Lane `to` continues the trajectory of lane `from`.
  virtual void move(Index from, Index to) = 0;
};

/// Chooses the actions for a block of lanes, one trajectory per lane.
class Actor {
 public:
  virtual ~Actor() = default;

  virtual Noise noise() const = 0;

  /// Writes the actions of the first `active` lanes for the given rows of observations. noise[i] is the row that holds
  /// the i-th random number of this step. `notes` has one row per action dimension for the policy's own use; the
  /// notes are passed on to its Gatherer and to `digest`.
  virtual void act(Parameters theta, Index active, const double* observations, const double* const* noise,
                   double* actions, double* notes) = 0;

  /// Identifies the model that wrote the notes, so that another policy's `digest` ignores them. Null if `digest` uses
  /// none.
  virtual std::shared_ptr<const void> notes_for_digest() const { return nullptr; }

  /// The standard deviation of each action if actions are Theta s + deviation noise, where s is the observation and the
  /// notes are the residuals; else empty. The environment may then act in the actor's place (LinearFeedback).
  virtual std::span<const double> linear_deviation() const { return {}; }

  /// Null unless the parameters are drawn once per trajectory.
  virtual ParameterSampler* parameter_sampler() { return nullptr; }
};

/// Chooses mean actions for a block of lanes, each lane with its own parameters.
class LaneMeans {
 public:
  virtual ~LaneMeans() = default;
  virtual void set(Index lane, Parameters theta) = 0;
  /// Lane `to` continues with the parameters of lane `from`.
  virtual void move(Index from, Index to) = 0;
  /// Writes the mean actions of the first `active` lanes for the given rows of observations.
  virtual void act(Index active, const double* observations, double* actions) = 0;
};

}  // namespace retropg
