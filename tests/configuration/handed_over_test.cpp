#include <gtest/gtest.h>

#include "retropg/configuration/registry.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

EnvironmentEntry entry_with_horizon(Index horizon, bool replaceable) {
  return {{"ReplaceableTest-v0", {}, "a test"},
          [horizon](const Configuration&) {
            EnvironmentDefinition environment = cart_pole();
            environment.horizon = horizon;
            return environment;
          },
          false,
          replaceable};
}

TEST(ReplaceableEntries, TheLastOneOfANameCounts) {
  Configuration configuration;
  configuration.env.id = "ReplaceableTest-v0";
  const std::size_t before = environments().size();
  for (const Index horizon : {3, 5}) {
    register_environment(entry_with_horizon(horizon, true));
    EXPECT_EQ(make_environment(configuration).horizon, horizon);
  }
  EXPECT_EQ(environments().size(), before + 1);
  expect_throw([] { register_environment(entry_with_horizon(7, false)); }, "is already registered");
  EXPECT_EQ(make_environment(configuration).horizon, 5);
}

TEST(ReplaceableEntries, OneThatIsRefusedReplacesNothing) {
  register_environment(entry_with_horizon(5, true));
  EnvironmentEntry refused = entry_with_horizon(7, true);
  refused.aliases = {"CartPole-v1"};
  expect_throw([&] { register_environment(refused); }, "environment 'CartPole-v1' is already registered");
  Configuration configuration;
  configuration.env.id = "ReplaceableTest-v0";
  EXPECT_EQ(make_environment(configuration).horizon, 5);
}

TEST(ReplaceableEntries, ABuiltInOneIsNotReplaced) {
  EnvironmentEntry entry = entry_with_horizon(3, true);
  entry.name = "CartPole-v1";
  expect_throw([&] { register_environment(entry); }, "environment 'CartPole-v1' is already registered");
}

TEST(EnvironmentsFromPython, AreNamedAsSuch) {
  Configuration configuration;
  configuration.env.id = "gymnasium:Pendulum-v1";
  expect_throw([&] { make_environment(configuration); }, "environment 'gymnasium:Pendulum-v1' comes from Python");
  expect_throw([&] { canonical(configuration); }, "comes from Python");
  EXPECT_TRUE(comes_from_python("python:MyPlant"));
  EXPECT_FALSE(comes_from_python("CartPole-v1"));
}

}  // namespace
}  // namespace retropg::test
