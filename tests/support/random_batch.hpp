#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "retropg/core/random.hpp"
#include "support/reference.hpp"

namespace retropg::test {

inline std::vector<double> random_numbers(Index count, double scale, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap, .iteration = 1});
  std::vector<double> numbers(as_size(count));
  for (double& number : numbers) number = scale * random.normal();
  return numbers;
}

inline std::vector<double> sum_of(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

/// Adds a trajectory drawn from the policy at theta on normal observations, with normal rewards. No hidden unit's input
/// is nearer to 0 than `margin` at any step, so that a ReLU has a derivative there.
template <typename Options>
void add_trajectory(TrajectoryBatch& batch, const Options& policy, Parameters theta, Index length, RandomStream& random,
                    double margin = 0.0) {
  std::vector<double> observation(as_size(policy.observation_size)), action;
  for (Index t = 0; t < length; ++t) {
    double least = 0.0;
    do {
      for (double& number : observation) number = random.normal();
      least = 1.0;
      action = reference::mean(policy, theta, observation, &least);
    } while (least < margin);
    for (Index u = 0; u < policy.action_size; ++u) {
      action[as_size(u)] += std::sqrt(reference::variance(policy, u)) * random.normal();
    }
    batch.add(observation, action, random.normal());
  }
  batch.close();
}

/// Trajectories of the given lengths.
template <typename Options>
TrajectoryBatch random_batch(const Options& policy, Parameters theta, std::span<const Index> lengths,
                             std::uint64_t seed, double margin = 0.0) {
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap});
  TrajectoryBatch batch{.observation_size = policy.observation_size, .action_size = policy.action_size};
  for (const Index length : lengths) add_trajectory(batch, policy, theta, length, random, margin);
  return batch;
}

/// Trajectories of unequal length, 1 to `longest` steps.
template <typename Options>
TrajectoryBatch random_batch(const Options& policy, Parameters theta, Index trajectories, Index longest,
                             std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap});
  TrajectoryBatch batch{.observation_size = policy.observation_size, .action_size = policy.action_size};
  for (Index j = 0; j < trajectories; ++j) add_trajectory(batch, policy, theta, 1 + random.below(longest), random);
  return batch;
}

/// Lengths from 1 to `longest`, ragged.
inline std::vector<Index> ragged(Index trajectories, Index longest, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap, .iteration = 2});
  std::vector<Index> lengths(as_size(trajectories));
  for (Index& length : lengths) length = 1 + random.below(longest);
  return lengths;
}

/// The trajectories of a batch in another order, or some of them.
inline TrajectoryBatch pick(const TrajectoryBatch& batch, std::span<const Index> order) {
  TrajectoryBatch result{.observation_size = batch.observation_size, .action_size = batch.action_size};
  for (const Index j : order) {
    for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
      result.add(reference::observation(batch, t), reference::action(batch, t), batch.rewards[as_size(t)]);
    }
    result.close();
  }
  return result;
}

}  // namespace retropg::test
