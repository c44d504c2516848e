#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

struct CollectorOptions {
  std::uint64_t seed = 1;
  Index lanes = 32;  // trajectories simulated side by side in a block; a multiple of kChunk; does not change results
  Credit credit = Credit::kRewardToGo;
  bool deterministic = false;  // act with the mean
};

class Block;
struct CollectTask;

/// The result of a simulation: evidence, and the return and length of each trajectory.
struct Collected {
  std::unique_ptr<Evidence> evidence;
  std::vector<double> returns;
  std::vector<Index> lengths;
};

/// Simulates trajectories: the only caller of Environment::step. Trajectory j of iteration k depends on (seed, k, j)
/// and theta alone, never on the lane, the block or the thread it ran in.
class Collector {
 public:
  Collector(EnvironmentDefinition environment, const Policy& policy, const CollectorOptions& options,
            const Workers& workers);
  ~Collector();

  /// Simulates trajectories first, ..., first + count - 1 of an iteration and returns their evidence; the standard
  /// deviation of the actions is `spread` times the policy's. Throws a RunError that names the iteration, trajectory
  /// and step if a state, action or reward is not finite.
  Collected collect(Parameters theta, Index iteration, Index first, Index count, double spread = 1.0);

  /// Simulates the same trajectories and returns their steps.
  TrajectoryBatch collect_steps(Parameters theta, Index iteration, Index first, Index count, double spread = 1.0);

 private:
  void run(CollectTask& task, Index count);
  /// Simulates as many trajectories as `numbers` has room for and fills in its returns and lengths.
  TrajectoryBatch simulate(Parameters theta, Index iteration, Index first, double spread, Collected& numbers);
  std::string name(Index iteration, Index trajectory) const;
  RunError too_large(Index iteration, Index trajectory) const;
  void require_finite(const TrajectoryBatch& batch, const Collected& numbers, Index iteration, Index first) const;

  EnvironmentDefinition environment_;
  const Policy& policy_;
  CollectorOptions options_;
  const Workers& workers_;
  const Gathering* gathering_;                // null: evidence is made from stored steps
  std::vector<std::unique_ptr<Block>> idle_;  // blocks are kept between calls
  std::mutex mutex_;
};

}  // namespace retropg
