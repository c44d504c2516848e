#include "retropg/environment/single_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "retropg/core/error.hpp"
#include "support/bits.hpp"
#include "support/collecting.hpp"
#include "support/expect_throw.hpp"
#include "support/single_point_mass.hpp"

namespace retropg::test {
namespace {

/// A policy that pushes the mass away, so that trajectories end after 15 to 50 steps.
Problem problem_in(EnvironmentDefinition environment) {
  return {.environment = std::move(environment),
          .options = {.observation_size = 2, .action_size = 1, .variance = {0.3}},
          .theta = {1.0, 0.0}};
}

TEST(SingleEnvironment, SimulatesWhatABlockOfLanesDoes) {
  for (const Index lanes : {4, 8, 128}) {
    const Request request{.count = 101, .lanes = lanes};
    const TrajectoryBatch steps = collect_steps(problem_in(point_mass()), request);
    ASSERT_NE(std::ranges::count(steps.endings, Ending::kTerminated), 0);
    ASSERT_NE(std::ranges::count(steps.endings, Ending::kCutOff), 0);
    EXPECT_EQ(bits_of(collect_steps(problem_in(single_point_mass()), request)), bits_of(steps)) << lanes;
    EXPECT_EQ(results(collect(problem_in(single_point_mass()), request)),
              results(collect(problem_in(point_mass()), request)))
        << lanes;
  }
}

TEST(SingleEnvironment, TruncatedTrajectoriesAreCutOffUnlessTheyTerminateInTheSameStep) {
  const Request request{.count = 101, .lanes = 16};
  const TrajectoryBatch whole = collect_steps(problem_in(single_point_mass()), request);
  constexpr Index kPatience = 30;
  const TrajectoryBatch batch = collect_steps(problem_in(single_point_mass({.patience = kPatience})), request);
  Index truncated = 0, ended_then = 0;
  for (Index j = 0; j < batch.size(); ++j) {
    EXPECT_EQ(batch.length(j), std::min(whole.length(j), kPatience));
    const bool terminated = whole.length(j) <= kPatience && whole.endings[as_size(j)] == Ending::kTerminated;
    EXPECT_EQ(batch.endings[as_size(j)], terminated ? Ending::kTerminated : Ending::kCutOff);
    truncated += terminated ? 0 : 1;
    ended_then += terminated && whole.length(j) == kPatience ? 1 : 0;
  }
  EXPECT_GT(truncated, 10);
  EXPECT_GT(ended_then, 0);
}

TEST(SingleEnvironment, NoiseDoesNotDependOnLanes) {
  const Problem problem = problem_in(single_point_mass({.noise = 0.1}));
  const Results expected = results(collect(problem, {.count = 101, .lanes = 4}));
  for (const Index lanes : {8, 20, 64}) EXPECT_EQ(results(collect(problem, {.count = 101, .lanes = lanes})), expected);
  EXPECT_NE(results(collect(problem_in(single_point_mass()), {.count = 101, .lanes = 4})), expected);
}

TEST(SingleEnvironment, MakesNoMoreSimulatorsThanLanesInUse) {
  Index made = 0;
  EnvironmentDefinition environment = from_single(point_mass(), [&made] {
    ++made;
    return std::make_unique<SinglePointMass>(SinglePointMassOptions{});
  });
  const std::unique_ptr<Policy> policy = problem_in(environment).policy();
  const Workers workers;
  Collector collector(environment, *policy, {.lanes = 1000}, workers);
  for (Index iteration = 1; iteration <= 3; ++iteration) {
    collector.collect(std::vector<double>{1.0, 0.0}, iteration, 0, 3);
    EXPECT_EQ(made, 3);
  }
  collector.collect(std::vector<double>{1.0, 0.0}, 4, 0, 1000);
  EXPECT_LE(made, 3 + 64);
}

TEST(SingleEnvironment, KeepsTheRestOfTheDefinition) {
  EnvironmentDefinition definition = point_mass();
  definition.most_lanes = 8;
  definition.observation_names = {"position", "speed"};
  const EnvironmentDefinition made = from_single(definition, [] { return std::unique_ptr<SingleEnvironment>(); });
  EXPECT_EQ(made.id, definition.id);
  EXPECT_EQ(made.horizon, 50);
  EXPECT_EQ(made.most_lanes, 8);
  EXPECT_EQ(made.observation_names, definition.observation_names);
  EXPECT_NO_THROW(check(made));
}

TEST(SingleEnvironment, AMissingSimulatorIsRefused) {
  expect_throw<Error>([] { from_single(point_mass(), {}); },
                      "environment 'TestPointMass-v0' has no function that makes its simulator");
  const Problem problem = problem_in(from_single(point_mass(), [] { return std::unique_ptr<SingleEnvironment>(); }));
  expect_throw<Error>([&] { collect(problem, {}); },
                      "environment 'TestPointMass-v0': the function that makes its simulator returned none");
}

}  // namespace
}  // namespace retropg::test
