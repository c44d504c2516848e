#include "retropg/rollout/pilot.hpp"

#include "retropg/core/aligned.hpp"
#include "retropg/core/random.hpp"

namespace retropg {
namespace {

/// The first lane of rows of kChunk numbers.
std::vector<double> first_lane(const AlignedVector<double>& rows) {
  std::vector<double> lane;
  for (std::size_t i = 0; i < rows.size(); i += kChunk) lane.push_back(rows[i]);
  return lane;
}

}  // namespace

TrajectoryBatch pilot_trajectory(const EnvironmentDefinition& environment, std::uint64_t seed) {
  check(environment);
  constexpr auto kLanes = std::size_t{kChunk};
  RandomStream start({.seed = seed, .purpose = Purpose::kPilot, .trajectory = 0});
  RandomStream choice({.seed = seed, .purpose = Purpose::kPilot, .trajectory = 1});
  const std::unique_ptr<Environment> block = environment.make(kChunk);
  AlignedVector<double> observations(as_size(environment.observation_size) * kLanes),
      actions(as_size(environment.action_size) * kLanes), live(kLanes), rewards(kLanes), ended(kLanes);
  live[0] = 1.0;
  block->reset(0, start, observations);

  TrajectoryBatch result{.observation_size = environment.observation_size, .action_size = environment.action_size};
  for (Index t = 0; t < environment.horizon && ended[0] == LaneStep::kRunning; ++t) {
    for (std::size_t u = 0; u < environment.action_ranges.size(); ++u) {
      actions[u * kLanes] = choice.uniform(environment.action_ranges[u].low, environment.action_ranges[u].high);
    }
    if (environment.action_count > 0) actions[0] = static_cast<double>(choice.below(environment.action_count));
    const std::vector<double> observation = first_lane(observations);
    block->step({.lanes = kChunk,
                 .active = kChunk,
                 .live = live,
                 .actions = actions,
                 .observations = observations,
                 .rewards = rewards,
                 .ended = ended});
    result.add(observation, first_lane(actions), rewards[0]);
  }
  result.close(ended[0] == LaneStep::kTerminated ? Ending::kTerminated : Ending::kCutOff, first_lane(observations));
  return result;
}

}  // namespace retropg
