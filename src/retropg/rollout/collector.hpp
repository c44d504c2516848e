#pragma once

#include <memory>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/rollout/broken_trajectory.hpp"
#include "retropg/trajectory/broken_number.hpp"

namespace retropg {

/// What a trajectory with a broken number leads to (trajectory/broken_number.hpp).
enum class OnBroken {
  kStop,  // BrokenTrajectory is thrown
  kDrop,  // it is left out and counted; thrown only if all of two or more trajectories of one policy are broken
};

struct CollectorOptions {
  std::uint64_t seed = 1;
  Index lanes = 32;  // trajectories simulated side by side in a block; a multiple of kChunk; does not change results
  Credit credit = Credit::kRewardToGo;
  bool deterministic = false;  // act with the mean
  OnBroken on_broken = OnBroken::kStop;
};

class Block;
struct CollectTask;

/// The result of a simulation: evidence, and the return and length of each trajectory that was not dropped.
struct Collected {
  std::unique_ptr<Evidence> evidence;
  std::vector<double> returns;
  std::vector<Index> lengths;
  Dropped dropped{};
};

/// Simulates trajectories: the only caller of Environment::step. Trajectory j of iteration k depends on (seed, k, j)
/// and theta alone, never on the lane, the block or the thread it ran in.
class Collector {
 public:
  Collector(EnvironmentDefinition environment, const Policy& policy, const CollectorOptions& options,
            const Workers& workers);
  ~Collector();

  /// Simulates trajectories first, ..., first + count - 1 of an iteration and returns their evidence; the standard
  /// deviation of what is drawn is `spread` times the policy's. Throws BrokenTrajectory as the options say; the result
  /// and the error are the same for any number of threads and lanes. If every trajectory was dropped, there is no
  /// evidence. Throws Error if a number of an iteration or trajectory is negative or above 2^32 - 1.
  Collected collect(Parameters theta, Index iteration, Index first, Index count, double spread = 1.0);

  /// Simulates the same trajectories and returns their steps. Adds those left out to `dropped` unless it is null.
  TrajectoryBatch collect_steps(Parameters theta, Index iteration, Index first, Index count, double spread = 1.0,
                                Dropped* dropped = nullptr);

 private:
  /// Which trajectories to simulate.
  struct Request {
    Parameters theta;
    Index iteration, first, count;
    double spread;
  };
  /// Blocks are kept between calls, of two sizes, which take turns where small batches follow large ones.
  struct Kept {
    std::unique_ptr<Block> latest, other;
  };

  void run(CollectTask& task, Index count);
  /// Whether a draw of which nothing is left says that its policy is broken. With drawn parameters every
  /// trajectory has a policy of its own.
  bool condemns(const Request& request) const;
  /// The steps of all trajectories, broken or not; fills in their returns and lengths.
  TrajectoryBatch simulate(const Request& request, Collected& numbers);
  /// The steps of all trajectories that are not broken; fills in their returns and lengths, and what was dropped.
  TrajectoryBatch simulate_sound(const Request& request, Collected& numbers);
  Collected gather(const Request& request);
  /// The broken ones among trajectories that may be: each is simulated again with its steps kept. Throws if there are
  /// any and the run must stop, or if they are all of two or more of one policy.
  std::vector<Index> broken_among(std::vector<Index> suspicious, const Request& request);
  BrokenRollout rollout(const TrajectoryBatch& batch, const BrokenNumber& broken, const Request& request) const;

  EnvironmentDefinition environment_;
  const Policy& policy_;
  CollectorOptions options_;
  const Workers& workers_;
  const Gathering* gathering_;  // null: evidence is made from stored steps
  std::vector<Kept> blocks_;
};

}  // namespace retropg
