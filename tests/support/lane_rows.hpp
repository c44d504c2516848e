#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "retropg/environment/environment.hpp"

namespace retropg::test {

/// What a block of lanes reads and writes, NaN where nobody wrote. No lane is live.
struct LaneRows {
  LaneRows(const EnvironmentDefinition& definition, Index count)
      : lanes(count),
        observations(as_size(definition.observation_size * count), kUnwritten),
        actions(as_size(definition.action_size * count), kUnwritten),
        rewards(as_size(count), kUnwritten),
        ended(as_size(count), kUnwritten),
        live(as_size(count), 0.0) {}

  /// One step of all lanes.
  void step(Environment& environment) {
    environment.step({.lanes = lanes,
                      .active = lanes,
                      .live = live,
                      .actions = actions,
                      .observations = observations,
                      .rewards = rewards,
                      .ended = ended});
  }

  /// The observation of one lane.
  std::vector<double> observed(Index lane) const {
    std::vector<double> result;
    for (auto i = as_size(lane); i < observations.size(); i += as_size(lanes)) result.push_back(observations[i]);
    return result;
  }

  static constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();
  Index lanes;
  std::vector<double> observations, actions, rewards, ended, live;
};

/// Expects a discount of 1 and these sizes.
inline void expect_definition(const EnvironmentDefinition& definition, const std::string& id, Index observations,
                              Index actions, Index horizon) {
  EXPECT_EQ(definition.id, id);
  EXPECT_EQ(definition.observation_size, observations);
  EXPECT_EQ(definition.action_size, actions);
  EXPECT_EQ(definition.horizon, horizon);
  EXPECT_EQ(definition.discount, 1.0);
}

}  // namespace retropg::test
