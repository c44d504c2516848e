#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "retropg/environment/clipped.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "retropg/rollout/pilot.hpp"
#include "support/expect_throw.hpp"
#include "support/point_mass.hpp"

namespace retropg::test {
namespace {

/// Expects that a point mass with one change is refused, also by the collector.
template <typename Change>
void expect_refused(const Change& change, const std::string& problem) {
  EnvironmentDefinition environment = point_mass();
  ASSERT_NO_THROW(check(environment));
  change(environment);
  const std::string text = "environment 'TestPointMass-v0' " + problem;
  expect_throw([&] { check(environment); }, text);
  const auto policy = linear_gaussian({.observation_size = 2, .action_size = 1});
  const Workers workers;
  expect_throw([&] { Collector(environment, *policy, {}, workers); }, text);
}

TEST(CheckEnvironment, RefusesWhatCannotBeSimulated) {
  expect_refused([](auto& environment) { environment.make = {}; }, "has no function that makes it");
  for (const Index bad : {0, -1}) {
    expect_refused([&](auto& environment) { environment.observation_size = bad; },
                   "needs at least one observation and one action");
    expect_refused([&](auto& environment) { environment.action_size = bad; },
                   "needs at least one observation and one action");
    expect_refused([&](auto& environment) { environment.horizon = bad; }, "needs a horizon of at least 1 step");
    expect_refused([&](auto& environment) { environment.most_lanes = bad; }, "needs at least one lane");
  }
  for (const double bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    expect_refused([&](auto& environment) { environment.discount = bad; }, "needs a discount from 0 to 1");
  }
}

TEST(CheckEnvironment, AnswersWhereverADefinitionIsUsed) {
  EnvironmentDefinition nothing = point_mass();
  nothing.make = {};
  nothing.action_ranges = {{-1.0, 1.0}};
  const std::string text = "environment 'TestPointMass-v0' has no function that makes it";
  expect_throw([&] { pilot_trajectory(nothing, 1); }, text);
  expect_throw([&] { clipped(nothing); }, text);
}

TEST(CheckEnvironment, RefusesFactsThatDoNotFit) {
  expect_refused(
      [](auto& environment) {
        environment.action_names = {"a", "b"};
      },
      "has 2 names of actions; expected 1");
  expect_refused([](auto& environment) { environment.observation_names = {"x"}; },
                 "has 1 names of observations; expected 2");
  expect_refused(
      [](auto& environment) {
        environment.action_ranges = {{-1.0, 1.0}, {-1.0, 1.0}};
      },
      "has 2 ranges of actions; expected 1");
  expect_refused(
      [](auto& environment) {
        environment.action_ranges = {{1.0, 1.0}};
      },
      "has a range of an action that is not finite or empty");
}

TEST(CheckEnvironment, RefusesDiscreteActionsThatAreNoChoice) {
  const std::string problem = "needs at least 2 discrete actions, given as one number without a range";
  for (const Index bad : {-1, 1}) {
    expect_refused([&](auto& environment) { environment.action_count = bad; }, problem);
  }
  expect_refused(
      [](auto& environment) {
        environment.action_count = 2;
        environment.action_ranges = {{-1.0, 1.0}};
      },
      problem);
  EnvironmentDefinition environment = point_mass();
  environment.action_ranges.clear();
  environment.action_count = 2;
  EXPECT_NO_THROW(check(environment));
}

TEST(CheckEnvironment, AcceptsTheEdges) {
  EnvironmentDefinition environment = point_mass();
  environment.horizon = environment.most_lanes = 1;
  for (const double discount : {0.0, 1.0}) {
    environment.discount = discount;
    EXPECT_NO_THROW(check(environment));
  }
}

}  // namespace
}  // namespace retropg::test
