#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "retropg/core/aligned.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/rollout/collector.hpp"

namespace retropg {

/// The input of one call of `collect`, and where its results go.
struct CollectTask {
  Parameters theta;
  double spread = 1.0;  // factor on the standard deviation of what is drawn
  Index iteration = 0;
  Index first = 0;                                // index of the first trajectory
  Index last = 0;                                 // and of the one after the last
  Index together = 1;                             // trajectories that a block takes at a time,
  Index most = 0;                                 // and at most in all
  Evidence* evidence = nullptr;                   // where evidence goes, or
  std::vector<TrajectoryBatch>* steps = nullptr;  // where steps go
  Ending* endings = nullptr;                      // with the steps, one per trajectory
  double* final_observations = nullptr;           // with the steps, observation_size per trajectory
  double* returns = nullptr;
  Index* lengths = nullptr;
  const std::vector<Index>* places = nullptr;  // null: trajectory first + j goes to place j; else to (*places)[j], or
                                               // is left out if that is negative
  // Trajectories that may have a broken number, in any order; only if evidence is gathered.
  std::vector<Index> suspicious{};
  std::mutex mutex{};
  alignas(64) std::atomic<Index> next{0};  // the first trajectory that no block has taken; in a cache line of its own

  Index place(Index trajectory) const {
    return places == nullptr ? trajectory - first : (*places)[as_size(trajectory - first)];
  }
};

/// One block of lanes with its buffers; refills lanes as trajectories end. Several blocks may share a task.
class Block {
 public:
  Block(const EnvironmentDefinition& environment, const Policy& policy, const CollectorOptions& options, Index lanes);

  Index lanes() const { return lanes_; }

  /// Simulates trajectories of the task in the first `filled` lanes until none is left.
  void run(CollectTask& task, Index filled);

 private:
  Index take(CollectTask& task);
  void start(Index lane, CollectTask& task);
  void finish(Index lane, CollectTask& task);
  void close_ranks();
  void move(Index from, Index to);
  Index segment_length() const;
  void make_noise(const CollectTask& task);
  void square_observations(Index steps);
  void find_ended(Index steps);
  void follow(const CollectTask& task, Index steps);
  void step(const CollectTask& task, Index t);
  void keep(CollectTask& task, Index steps);
  bool all_live(Index steps) const;

  const EnvironmentDefinition& environment_;
  std::uint64_t seed_;
  Index lanes_;
  Index active_ = 0;                 // the first `active_` lanes are in use
  Index taken_ = 0, taken_end_ = 0;  // trajectories of the task that this block has taken and not started
  Index may_take_ = 0;               // so many more
  std::unique_ptr<Environment> simulator_;
  std::unique_ptr<Actor> actor_;
  Noise noise_;                          // what the actor consumes
  ParameterSampler* parameter_sampler_;  // the actor's; may be null
  LinearFeedback* feedback_;             // the environment's, for the actor; may be null
  std::unique_ptr<Gatherer> gatherer_;
  bool gatherer_squares_;  // the gatherer squares observations itself
  // Rows of lanes_ numbers. Each step in columns_ is the observation followed by the actor's notes; columns_ and live_
  // hold one more step than a segment.
  AlignedVector<double> columns_, actions_, rewards_, raw_rewards_, live_;
  AlignedVector<double> ends_;  // LaneStep::ended, one row per step of a segment
  AlignedVector<double> age_, discount_, value_;
  // Sum of the squares of a trajectory's numbers, to see whether one is broken; without the observations that the
  // gatherer squares itself. Sums of evidence would not do: rewards cancel or are discounted away, and moments hold
  // residuals instead of actions.
  AlignedVector<double> squares_;
  AlignedVector<std::uint64_t> trajectory_, draw_;  // per lane: its trajectory, and the number of Philox blocks used
  AlignedVector<std::uint64_t> noise_trajectory_, noise_block_;
  AlignedVector<double> noise_first_, noise_second_;
  bool lanes_changed_ = true;              // since noise_trajectory_ and noise_block_ were filled
  std::vector<const double*> noise_rows_;  // of every draw of a segment
  kernels::FeedbackRows feedback_rows_{};  // points at the rows above
  std::vector<Index> ended_;               // lanes whose trajectory ended within the segment
  std::vector<TrajectoryBatch> kept_;
};

}  // namespace retropg
