#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// Why a trajectory ended.
enum class Ending : std::uint8_t {
  kTerminated,  // by the environment: no further reward is possible
  kCutOff,      // at the horizon or truncated by the environment: a critic would bootstrap from the final observation
};

/// Trajectories of one behavior, stored end to end. Holds only steps that were taken.
struct TrajectoryBatch {
  Index observation_size = 0;
  Index action_size = 0;
  std::vector<double> observations{};  // steps x observation_size: before each action
  std::vector<double> actions{};       // steps x action_size, as sampled, before any clipping
  std::vector<double> rewards{};       // steps, undiscounted
  std::vector<Index> first_step{0};    // index of each trajectory's first step, then the total number of steps
  std::vector<double> sampled{};       // the parameters each trajectory acted with if the policy draws them; else empty
  // How each trajectory ended; both may be empty if nothing needs them.
  std::vector<Ending> endings{};
  std::vector<double> final_observations{};  // trajectories x observation_size: after the last action
  // `notes`: steps x action_size, what the actor noted for each action. `noted`: the parameters it acted with. Both are
  // empty if it noted nothing or the steps come from elsewhere.
  std::vector<double> notes{}, noted{};
  std::shared_ptr<const void> noted_by{};  // identifies the model that wrote `notes` (Actor::notes_for_digest)
  bool collected = false;                  // by the library's own collector: actions are certainly as sampled

  Index size() const { return as_index(first_step.size()) - 1; }
  Index steps() const { return first_step.back(); }
  Index begin(Index j) const { return first_step[as_size(j)]; }
  Index length(Index j) const { return begin(j + 1) - begin(j); }

  /// Reserves memory for `steps` steps in total.
  void reserve(Index steps);
  /// Adds one step to the current trajectory; `close` ends it.
  void add(std::span<const double> observation, std::span<const double> action, double reward);
  /// Ends the current trajectory.
  void close() { first_step.push_back(as_index(rewards.size())); }
  /// The same, and records how the trajectory ended; all trajectories must.
  void close(Ending ending) { close(), endings.push_back(ending); }
  /// The same, and records how the trajectory ended and its final observation.
  void close(Ending ending, std::span<const double> final_observation);
  /// Adds all trajectories of another batch, or those numbered first, ..., last - 1. If one of the two batches does not
  /// know how its trajectories ended, the result does not either.
  void append(const TrajectoryBatch& other) { append(other, 0, other.size()); }
  void append(const TrajectoryBatch& other, Index first, Index last);
  /// Cuts the last trajectory to at most `steps` steps; if any were cut, it has no ending anymore.
  void cut_last(Index steps);
};

/// What a step's score is multiplied by.
enum class Credit {
  kRewardToGo,  // D_l = sum_{t >= l} gamma^t r_t  (GPOMDP, PGT)
  kReturn,      // R = D_0                         (REINFORCE)
  kOne,         // 1: the bare score               (POIS, whose weights contain the return)
};

/// R_j = sum_t gamma^t r_t of every trajectory.
std::vector<double> discounted_returns(const TrajectoryBatch& batch, double discount);

/// The credit of every step of the batch.
std::vector<double> step_credits(const TrajectoryBatch& batch, double discount, Credit credit);

/// The root mean square of each observation over all steps.
std::vector<double> observation_root_mean_squares(const TrajectoryBatch& batch);

/// Throws Error if sizes are inconsistent, offsets decrease, a trajectory is empty or longer than the horizon, or a
/// number is broken (trajectory/broken_number.hpp); the message names the trajectory and step.
void check(const TrajectoryBatch& batch, Index observation_size, Index action_size, Index horizon);

}  // namespace retropg
