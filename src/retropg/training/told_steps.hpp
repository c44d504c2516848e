#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "retropg/policy/policy.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Calls body(step, means, stride) for every step of the batch; means are the policy's action_size mean actions for its
/// observation, `stride` apart.
template <class Body>
void for_means(const Policy& policy, Parameters theta, const TrajectoryBatch& batch, const Body& body) {
  constexpr Index kLanes = 32;
  const Index observations = policy.observation_size(), actions = policy.action_size();
  const std::unique_ptr<Actor> actor = policy.actor(kLanes, Acting::kMean);
  std::vector<double> rows(as_size(observations * kLanes), 0.0), means(as_size(actions * kLanes)), notes(means.size());
  for (Index first = 0; first < batch.steps(); first += kLanes) {
    const Index count = std::min(kLanes, batch.steps() - first);
    for (Index l = 0; l < count; ++l) {
      const double* from = batch.observations.data() + (first + l) * observations;
      for (Index i = 0; i < observations; ++i) rows[as_size(i * kLanes + l)] = from[i];
    }
    actor->act(theta, kLanes, rows.data(), nullptr, means.data(), notes.data());
    for (Index l = 0; l < count; ++l) body(first + l, means.data() + l, kLanes);
  }
}

/// "trajectory 3, step 17" of a step of the batch.
std::string place_of_step(const TrajectoryBatch& batch, Index step);

/// How messages about told actions end.
inline constexpr const char* kTellAsSampled =
    "tell actions as they were sampled, not clipped, rescaled or replaced by their mean";

}  // namespace retropg
