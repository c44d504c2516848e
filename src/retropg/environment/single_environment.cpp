#include "retropg/environment/single_environment.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

constexpr Index kMostLanes = 64;

class SingleEnvironments final : public Environment {
 public:
  SingleEnvironments(MakeSingleEnvironment make, Index lanes, Index observation_size, Index action_size)
      : make_(std::move(make)),
        lanes_(as_size(lanes)),
        singles_(lanes_),
        observation_(as_size(observation_size)),
        action_(as_size(action_size)) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    std::unique_ptr<SingleEnvironment>& single = singles_[as_size(lane)];
    if (single == nullptr) single = make_();
    single->reset(random, observation_);
    observe(as_size(lane), observations);
  }

  void step(const LaneStep& step) override {
    for (std::size_t lane = 0; lane < as_size(step.active); ++lane) {
      step.rewards[lane] = 0.0;
      step.ended[lane] = LaneStep::kRunning;
      if (step.live[lane] == 0.0) continue;
      for (std::size_t u = 0; u < action_.size(); ++u) action_[u] = step.actions[u * lanes_ + lane];
      const StepResult result = singles_[lane]->step(action_, observation_);
      observe(lane, step.observations);
      step.rewards[lane] = result.reward;
      step.ended[lane] = result.terminated  ? LaneStep::kTerminated
                         : result.truncated ? LaneStep::kTruncated
                                            : LaneStep::kRunning;
    }
  }

  void move(Index from, Index to) override { std::swap(singles_[as_size(from)], singles_[as_size(to)]); }

 private:
  void observe(std::size_t lane, std::span<double> observations) const {
    for (std::size_t i = 0; i < observation_.size(); ++i) observations[i * lanes_ + lane] = observation_[i];
  }

  MakeSingleEnvironment make_;
  std::size_t lanes_;
  std::vector<std::unique_ptr<SingleEnvironment>> singles_;  // null until the lane is used
  std::vector<double> observation_, action_;                 // of one lane
};

}  // namespace

EnvironmentDefinition from_single(EnvironmentDefinition definition, MakeSingleEnvironment make) {
  require(make != nullptr, "environment '" + definition.id + "' has no function that makes its simulator");
  const MakeSingleEnvironment one_at_a_time = [make = std::move(make), id = definition.id,
                                               mutex = std::make_shared<std::mutex>()] {
    const std::lock_guard lock(*mutex);
    std::unique_ptr<SingleEnvironment> single = make();
    require(single != nullptr, "environment '" + id + "': the function that makes its simulator returned none");
    return single;
  };
  definition.most_lanes = std::min(definition.most_lanes, kMostLanes);
  definition.make = [one_at_a_time, observations = definition.observation_size,
                     actions = definition.action_size](Index lanes) {
    return std::make_unique<SingleEnvironments>(one_at_a_time, lanes, observations, actions);
  };
  return definition;
}

}  // namespace retropg
