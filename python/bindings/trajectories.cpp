#include "trajectories.hpp"

#include <algorithm>

namespace retropg::python {
namespace {

void add(std::vector<double>& to, std::span<const double> from) {
  to.insert(to.end(), from.begin(), from.end());
}

Array rows(const std::vector<double>& values, Index first, Index last, Index width) {
  return as_array({values.begin() + first * width, values.begin() + last * width},
                  {as_size(last - first), as_size(width)});
}

}  // namespace

TrajectoryBatch trajectory_batch(const std::vector<ToldTrajectory>& told, Index observation_size, Index action_size) {
  TrajectoryBatch batch{.observation_size = observation_size, .action_size = action_size};
  Index steps = 0;
  for (const auto& [observations, actions, rewards, parameters, terminated] : told) steps += as_index(rewards.size());
  batch.reserve(steps);
  const bool known = std::ranges::all_of(told, [](const ToldTrajectory& one) { return std::get<4>(one) >= 0; });
  for (const auto& [observations, actions, rewards, parameters, terminated] : told) {
    add(batch.observations, numbers(observations));
    add(batch.actions, numbers(actions));
    add(batch.rewards, numbers(rewards));
    if (parameters) add(batch.sampled, numbers(*parameters));
    if (known) {
      batch.close(terminated == 1 ? Ending::kTerminated : Ending::kCutOff);
    } else {
      batch.close();
    }
  }
  return batch;
}

std::vector<std::tuple<Array, Array, Array, std::optional<Array>, std::optional<bool>>> numpy_trajectories(
    const TrajectoryBatch& batch) {
  std::vector<std::tuple<Array, Array, Array, std::optional<Array>, std::optional<bool>>> result;
  const Index drawn = as_index(batch.sampled.size()) / std::max<Index>(1, batch.size());
  for (Index j = 0; j < batch.size(); ++j) {
    const Index first = batch.begin(j), last = batch.begin(j + 1);
    std::optional<Array> parameters;
    if (drawn > 0) {
      parameters = as_array({batch.sampled.begin() + j * drawn, batch.sampled.begin() + (j + 1) * drawn});
    }
    result.emplace_back(
        rows(batch.observations, first, last, batch.observation_size),
        rows(batch.actions, first, last, batch.action_size),
        as_array({batch.rewards.begin() + first, batch.rewards.begin() + last}), std::move(parameters),
        batch.endings.empty() ? std::nullopt : std::optional(batch.endings[as_size(j)] == Ending::kTerminated));
  }
  return result;
}

}  // namespace retropg::python
