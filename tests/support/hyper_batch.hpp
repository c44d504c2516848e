#pragma once

#include <functional>
#include <vector>

#include "retropg/core/random.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg::test {

/// A linear policy with one action and `parameters` features, to be drawn by a hyperpolicy.
inline std::shared_ptr<const Policy> linear_inner(Index parameters) {
  return linear_gaussian({.observation_size = parameters, .action_size = 1});
}

/// Trajectories of one step whose reward is a function of the parameters that a hyperpolicy drew at xi with a spread.
inline TrajectoryBatch drawn_batch(const Policy& hyperpolicy, Parameters xi, Index trajectories, std::uint64_t seed,
                                   const std::function<double(Parameters)>& reward, double spread = 1.0) {
  RandomStream random({.seed = seed, .purpose = Purpose::kSampledParameters});
  const auto actor = hyperpolicy.actor(kChunk, Acting::kSample);
  TrajectoryBatch batch{.observation_size = hyperpolicy.observation_size(), .action_size = hyperpolicy.action_size()};
  const std::vector<double> observation(as_size(batch.observation_size), 1.0);
  const std::vector<double> action(as_size(batch.action_size), 0.0);
  for (Index j = 0; j < trajectories; ++j) {
    const Parameters drawn = actor->parameter_sampler()->start(xi, spread, 0, random);
    batch.sampled.insert(batch.sampled.end(), drawn.begin(), drawn.end());
    batch.add(observation, action, reward(drawn));
    batch.close();
  }
  return batch;
}

}  // namespace retropg::test
