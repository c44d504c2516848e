#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// Why a trajectory ended.
enum class Ending : std::uint8_t {
  kTerminated,  // the environment ended it: nothing more could be earned
  kCutOff,      // the horizon did: a critic would go on from the final observation
};

/// Trajectories of one behavior laid end to end, step by step. Only steps that were taken are here.
struct TrajectoryBatch {
  Index observation_size = 0;
  Index action_size = 0;
  std::vector<double> observations{};  // steps x observation_size: what was seen before acting
  std::vector<double> actions{};       // steps x action_size, as sampled: never as clipped
  std::vector<double> rewards{};       // steps, undiscounted
  std::vector<Index> first_step{0};    // where each trajectory starts, then the total
  std::vector<double> sampled{};  // the parameters each trajectory acted with, where a policy draws them; else empty
  // How each trajectory ended; both may be empty where nobody needs to know.
  std::vector<Ending> endings{};
  std::vector<double> final_observations{};  // trajectories x observation_size: what was seen after the last action
  // steps x action_size, what the policy's own actor noted about each action when it acted with the parameters `noted`;
  // empty if it noted nothing or the steps come from elsewhere.
  std::vector<double> notes{}, noted{};

  Index size() const { return as_index(first_step.size()) - 1; }
  Index steps() const { return first_step.back(); }
  Index begin(Index j) const { return first_step[as_size(j)]; }
  Index length(Index j) const { return begin(j + 1) - begin(j); }

  /// Makes room for `steps` steps in all.
  void reserve(Index steps);
  /// Adds one step to the trajectory that is open at the end; `close` ends it.
  void add(std::span<const double> observation, std::span<const double> action, double reward);
  void close() { first_step.push_back(as_index(rewards.size())); }
  /// The same, and records how the trajectory ended and what was seen last.
  void close(Ending ending, std::span<const double> final_observation);
  /// Adds all trajectories of another batch.
  void append(const TrajectoryBatch& other);
};

/// What a step's score is multiplied by.
enum class Credit {
  kRewardToGo,  // D_l = sum_{t >= l} gamma^t r_t  (GPOMDP, PGT)
  kReturn,      // R = D_0                         (REINFORCE)
  kOne,         // 1: the bare score               (POIS, whose weights hold the return)
};

/// R_j = sum_t gamma^t r_t of every trajectory.
std::vector<double> discounted_returns(const TrajectoryBatch& batch, double discount);

/// The credit of every step of the batch.
std::vector<double> step_credits(const TrajectoryBatch& batch, double discount, Credit credit);

/// A step by its place.
struct StepPlace {
  Index trajectory, step;
};

/// The first step with an observation, action or reward that is not finite.
std::optional<StepPlace> first_broken_step(const TrajectoryBatch& batch);

/// Throws if sizes do not fit together, offsets run backward, a trajectory is empty or longer than the horizon, or a
/// number is not finite; the message names trajectory and step.
void check(const TrajectoryBatch& batch, Index observation_size, Index action_size, Index horizon);

}  // namespace retropg
