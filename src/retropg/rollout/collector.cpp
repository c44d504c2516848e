#include "retropg/rollout/collector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "retropg/core/error.hpp"
#include "retropg/rollout/block.hpp"

namespace retropg {
namespace {

Index padded(Index n) {
  return chunk_count(n) * kChunk;
}

void require_count(Index count) {
  if (count < 1) throw Error("a collector needs at least one trajectory to collect, not " + std::to_string(count));
}

}  // namespace

Collector::Collector(EnvironmentDefinition environment, const Policy& policy, const CollectorOptions& options,
                     const Workers& workers)
    : environment_(std::move(environment)),
      policy_(policy),
      options_(options),
      workers_(workers),
      gathering_(policy.gathering()) {
  check(environment_);
  require(options.lanes >= kChunk && options.lanes % kChunk == 0,
          "lanes must be a positive multiple of " + std::to_string(kChunk) + ", not " + std::to_string(options.lanes));
  require(
      environment_.observation_size == policy.observation_size() && environment_.action_size == policy.action_size(),
      "the policy expects " + std::to_string(policy.observation_size()) + " observations and " +
          std::to_string(policy.action_size()) + " actions; " + environment_.id + " has " +
          std::to_string(environment_.observation_size) + " and " + std::to_string(environment_.action_size));
}

Collector::~Collector() = default;

void Collector::run(CollectTask& task, Index count) {
  if (as_index(task.theta.size()) != policy_.parameter_count()) {
    throw Error("the policy has " + std::to_string(policy_.parameter_count()) + " parameters, not " +
                std::to_string(task.theta.size()));
  }
  require(task.spread == 1.0 || policy_.provides(Capability::kSpread), "this policy only supports spread = 1");
  // One range per thread, each simulated in as few rounds of equally full blocks as the lanes allow.
  const Index range = (count + workers_.threads() - 1) / workers_.threads();
  const Index most = std::min(options_.lanes, environment_.most_lanes);
  const Index rounds = (range + most - 1) / most;
  const Index lanes = padded((range + rounds - 1) / rounds);
  workers_.for_ranges(count, range, [&](Index first, Index last) {
    std::unique_ptr<Block> block;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        block = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (block == nullptr || block->lanes() != lanes) {
      block = std::make_unique<Block>(environment_, policy_, options_, lanes);
    }
    block->run(task, task.first + first, task.first + last);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(block));
  });
}

Collected Collector::collect(Parameters theta, Index iteration, Index first, Index count, double spread) {
  require_count(count);
  require(count >= 1, "a collector needs at least one trajectory, not " + std::to_string(count));
  Collected result{.evidence = nullptr,
                   .returns = std::vector<double>(as_size(count)),
                   .lengths = std::vector<Index>(as_size(count))};
  if (gathering_ == nullptr) {
    const TrajectoryBatch batch = simulate(theta, iteration, first, spread, result);
    require_finite(batch, result, iteration, first);
    result.evidence = policy_.digest(theta, batch, environment_.discount, options_.credit);
    return result;
  }
  result.evidence = gathering_->empty_evidence(theta, count);
  CollectTask task{.theta = theta,
                   .spread = spread,
                   .iteration = iteration,
                   .first = first,
                   .evidence = result.evidence.get(),
                   .returns = result.returns.data(),
                   .lengths = result.lengths.data()};
  run(task, count);
  if (const Index broken = task.broken; broken < std::numeric_limits<Index>::max()) {
    // Random numbers depend only on the trajectory, so the faulty one can be simulated again with its steps stored.
    collect_steps(theta, iteration, broken, 1, spread);  // throws
    throw too_large(iteration, broken);
  }
  return result;
}

TrajectoryBatch Collector::collect_steps(Parameters theta, Index iteration, Index first, Index count, double spread) {
  require_count(count);
  Collected numbers{.evidence = nullptr,
                    .returns = std::vector<double>(as_size(count)),
                    .lengths = std::vector<Index>(as_size(count))};
  TrajectoryBatch batch = simulate(theta, iteration, first, spread, numbers);
  require_finite(batch, numbers, iteration, first);
  return batch;
}

TrajectoryBatch Collector::simulate(Parameters theta, Index iteration, Index first, double spread, Collected& numbers) {
  std::vector<TrajectoryBatch> trajectories(numbers.returns.size());
  TrajectoryBatch batch{.observation_size = environment_.observation_size, .action_size = environment_.action_size};
  std::vector<Ending> endings(trajectories.size());
  std::vector<double> final_observations(trajectories.size() * as_size(environment_.observation_size));
  CollectTask task{.theta = theta,
                   .spread = spread,
                   .iteration = iteration,
                   .first = first,
                   .steps = &trajectories,
                   .endings = endings.data(),
                   .final_observations = final_observations.data(),
                   .returns = numbers.returns.data(),
                   .lengths = numbers.lengths.data()};
  run(task, as_index(trajectories.size()));
  batch.reserve(std::accumulate(numbers.lengths.begin(), numbers.lengths.end(), Index{0}));
  for (const TrajectoryBatch& one : trajectories) batch.append(one);
  batch.endings = std::move(endings);
  batch.final_observations = std::move(final_observations);
  if (!batch.notes.empty()) batch.noted.assign(theta.begin(), theta.end());
  return batch;
}

std::string Collector::name(Index iteration, Index trajectory) const {
  return environment_.id + ", iteration " + std::to_string(iteration) + ", trajectory " + std::to_string(trajectory);
}

RunError Collector::too_large(Index iteration, Index trajectory) const {
  return RunError(name(iteration, trajectory) + ": the sums over its steps overflow");
}

void Collector::require_finite(const TrajectoryBatch& batch, const Collected& numbers, Index iteration,
                               Index first) const {
  if (const std::optional<StepPlace> broken = first_broken_step(batch)) {
    throw RunError(name(iteration, first + broken->trajectory) + ", step " + std::to_string(broken->step) +
                   ": an observation, action or reward is not finite");
  }
  for (std::size_t j = 0; j < numbers.returns.size(); ++j) {
    if (!std::isfinite(numbers.returns[j])) throw too_large(iteration, first + as_index(j));
  }
}

}  // namespace retropg
