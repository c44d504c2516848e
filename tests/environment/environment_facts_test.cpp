#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/random.hpp"
#include "support/lane_rows.hpp"

namespace retropg::test {
namespace {

/// Every built-in environment of this build.
std::vector<EnvironmentDefinition> all_environments() {
  std::vector<EnvironmentDefinition> result;
  for (const EnvironmentEntry& entry : environments()) {
    if (entry.description.starts_with("not in this build")) continue;
    Configuration configuration;
    configuration.env.id = entry.name;
    result.push_back(make_environment(configuration));
  }
  return result;
}

/// The observation after one step from the same start.
std::vector<double> observed_after(const EnvironmentDefinition& definition, const std::vector<double>& action) {
  const auto block = definition.make(kChunk);
  LaneRows rows(definition, kChunk);
  rows.live.assign(kChunk, 1.0);
  for (Index lane = 0; lane < kChunk; ++lane) {
    RandomStream random({.seed = 5, .purpose = Purpose::kReset});
    block->reset(lane, random, rows.observations);
    for (std::size_t a = 0; a < action.size(); ++a) rows.actions[a * kChunk + as_size(lane)] = action[a];
  }
  rows.step(*block);
  return rows.observed(0);
}

TEST(EnvironmentFacts, AnActionBeyondItsRangeActsLikeItsEnd) {
  Index ranges = 0;
  for (const EnvironmentDefinition& environment : all_environments()) {
    for (std::size_t a = 0; a < environment.action_ranges.size(); ++a, ++ranges) {
      SCOPED_TRACE(environment.id + ", action " + std::to_string(a));
      const auto [low, high] = environment.action_ranges[a];
      std::vector<double> action(as_size(environment.action_size), 0.0);
      const auto with = [&](double value) {
        action[a] = value;
        return observed_after(environment, action);
      };
      EXPECT_EQ(with(high), with(3.0 * high));
      EXPECT_EQ(with(low), with(3.0 * low));
      EXPECT_NE(with(high), with(0.9 * high)) << "the range is no wider than it must be";
      EXPECT_NE(with(low), with(0.9 * low));
    }
  }
  EXPECT_GE(ranges, 1);
}

TEST(EnvironmentFacts, EveryNumberHasANameOfItsOwn) {
  for (const EnvironmentDefinition& environment : all_environments()) {
    SCOPED_TRACE(environment.id);
    EXPECT_EQ(std::ssize(environment.observation_names), environment.observation_size);
    EXPECT_EQ(std::ssize(environment.action_names), environment.action_size);
    for (const auto& names : {environment.observation_names, environment.action_names}) {
      EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
      for (const std::string& name : names) {
        EXPECT_FALSE(name.empty());
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"), std::string::npos) << name;
      }
    }
  }
}

}  // namespace
}  // namespace retropg::test
