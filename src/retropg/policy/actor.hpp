#pragma once

#include "retropg/core/random.hpp"
#include "retropg/core/types.hpp"

namespace retropg {

/// Whether a policy draws its actions or takes their mean.
enum class Acting { kSample, kMean };

/// The random numbers an actor takes for each step of a lane.
struct Noise {
  enum class Kind { kNormal, kUniform };  // standard normal; uniform in [0, 1)
  Kind kind = Kind::kNormal;
  Index count = 0;
};

/// Of an actor that draws the parameters it acts with once per trajectory.
class ParameterSampler {
 public:
  virtual ~ParameterSampler() = default;
  /// A trajectory starts in a lane; returns the parameters drawn for it.
  virtual Parameters start(Parameters theta, Index lane, RandomStream& random) = 0;
  /// Lane `to` continues the trajectory of lane `from`.
  virtual void move(Index from, Index to) = 0;
};

/// Acts in a block of lanes.
class Actor {
 public:
  virtual ~Actor() = default;

  virtual Noise noise() const = 0;

  /// Actions in the first `active` lanes for rows of observations. noise[i] is the row of the i-th random number of
  /// this step. `notes` has one row per action for the policy's own use: its Gatherer and `digest` get them back.
  virtual void act(Parameters theta, Index active, const double* observations, const double* const* noise,
                   double* actions, double* notes) = 0;

  /// Whether `digest` wants the notes of kept steps.
  virtual bool notes_for_digest() const { return false; }

  /// Null unless parameters are drawn once per trajectory.
  virtual ParameterSampler* parameter_sampler() { return nullptr; }
};

/// Acts with the mean in a block of lanes, each lane with parameters of its own.
class LaneMeans {
 public:
  virtual ~LaneMeans() = default;
  virtual void set(Index lane, Parameters theta) = 0;
  /// Lane `to` continues with the parameters of lane `from`.
  virtual void move(Index from, Index to) = 0;
  /// Mean actions in the first `active` lanes for rows of observations.
  virtual void act(Index active, const double* observations, double* actions) = 0;
};

}  // namespace retropg
