#pragma once

#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "retropg/core/random.hpp"
#include "retropg/core/types.hpp"
#include "retropg/environment/linear_feedback.hpp"
#include "retropg/environment/returns.hpp"

namespace retropg {

/// One step of a block of lanes. Every array consists of rows of `lanes` numbers: component i of lane l is at index
/// i * lanes + l.
struct LaneStep {
  /// How a step leaves a trajectory. Truncated: the environment ends it although it could go on, as at a time limit of
  /// its own; the rewards that would follow are not 0.
  static constexpr double kRunning = 0.0, kTerminated = 1.0, kTruncated = 2.0;

  Index lanes;
  Index active;  // only the first `active` lanes (a multiple of kChunk) are in use
  // 1 where the lane's trajectory is still running, else 0; the other entries of a lane with 0 are unspecified.
  std::span<const double> live;
  std::span<const double> actions;  // as sampled, not clipped
  std::span<double> observations;   // output: after the step
  std::span<double> rewards;        // output
  std::span<double> ended;          // output: kRunning, kTerminated or kTruncated
};

/// Thrown by an environment that was told to stop, for example by Ctrl-C: the run ends after the iteration before.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// A Markov decision process that simulates many trajectories at a time: an object is one block of independent lanes.
/// Contract: after `reset` with the same stream, the same actions give the same bits, whatever the lane held before and
/// whatever the other lanes do. The rollout enforces the horizon, not the environment.
class Environment {
 public:
  virtual ~Environment() = default;

  /// Starts a trajectory in one lane and writes its first observation into that lane's column of `observations`.
  virtual void reset(Index lane, RandomStream& random, std::span<double> observations) = 0;

  /// Simulates one step in every live lane.
  virtual void step(const LaneStep& step) = 0;

  /// Lane `to` takes over the trajectory of lane `from`, which is then free: live lanes are kept contiguous.
  virtual void move(Index from, Index to) = 0;

  /// Null unless whole segments can be simulated under a linear policy.
  virtual LinearFeedback* linear_feedback() { return nullptr; }
};

/// What an environment clips an action to.
struct ActionRange {
  double low = 0.0, high = 0.0;
};

/// Describes an environment and creates blocks of it. A block has `lanes` lanes, a multiple of kChunk.
struct EnvironmentDefinition {
  std::string id;
  Index observation_size = 0;
  Index action_size = 0;
  Index horizon = 0;
  double discount = 1.0;
  Index most_lanes = 1024;  // maximum lanes per block; set it low if a lane's state is large
  std::function<std::unique_ptr<Environment>(Index lanes)> make{};
  Index action_count = 0;  // the one action is a whole number from 0 to action_count - 1; 0: actions are continuous
  std::vector<ActionRange> action_ranges{};                      // one per action; empty: actions have no range
  std::vector<std::string> observation_names{}, action_names{};  // empty: they have no names
  RangeOfReturns range{};
  ReferencesOfReturns references{};
  Index most_live =
      std::numeric_limits<Index>::max();  // maximum trajectories at a time in a block; may be below kChunk
  bool one_thread = false;                // blocks are simulated on the calling thread only
};

/// The range of returns at the environment's horizon and discount.
ReturnRange return_range(const EnvironmentDefinition& environment);

/// The reference returns at the environment's horizon and discount; none if they are not known there.
std::optional<ReferenceReturns> reference_returns(const EnvironmentDefinition& environment);

/// Throws an Error that names the environment if it cannot be simulated: `make` is empty, no lanes or live ones, a
/// horizon below 1, sizes below 1, a discount outside [0, 1], ranges and names that are not one per action or
/// observation, or a single discrete action.
void check(const EnvironmentDefinition& environment);

/// The paper's continuous Cart Pole: T = 200, gamma = 1 (docs/environments.md has its equations).
EnvironmentDefinition cart_pole();

/// Gymnasium's CartPole-v1: the same cart, pushed by -10 (action 0) or 10 (action 1), T = 500, gamma = 1.
EnvironmentDefinition pushed_cart_pole();

}  // namespace retropg
