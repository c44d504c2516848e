#include "retropg/configuration/task_scale.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "retropg/configuration/registry.hpp"
#include "support/session.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

EnvironmentDefinition two_actions() {
  return {.id = "Test",
          .observation_size = 3,
          .action_size = 2,
          .horizon = 5,
          .make = [](Index) { return nullptr; },
          .action_ranges = {{.low = -1.0, .high = 3.0}, {.low = -0.5, .high = 0.5}}};
}

constexpr std::array<double, 3> kRms = {0.5, 0.0, 4.0};

TEST(TaskScale, ObservationsAreDividedByTheirRootMeanSquares) {
  const Configuration fitted = fitted_to_task(configured({"policy.scaling=pilot"}), two_actions(), kRms);
  EXPECT_EQ(fitted.policy.scale, (std::vector{2.0, 0.0, 0.25}));
  EXPECT_EQ(fitted.policy.shift, (std::vector{0.0, 0.0, 0.0}));
  EXPECT_EQ(make_policy(fitted, two_actions())->parameter_count(), 4) << "an observation that is always 0 has none";
}

TEST(TaskScale, WithoutAPilotObservationsStayAsTheyAre) {
  EXPECT_EQ(fitted_to_task(configured({"policy.scaling=pilot"}), two_actions(), {}),
            configured({"policy.scaling=pilot"}));
}

TEST(TaskScale, AWidthIsInUnitsOfHalfTheRange) {
  const Configuration actions = fitted_to_task(configured({"policy.width=0.5"}), two_actions(), {});
  EXPECT_EQ(actions.policy.variance, (std::vector{1.0, 0.0625}));
  EXPECT_FALSE(actions.policy.width);
  // Two of three observations vary: sigma = width * half / sqrt(2).
  const Configuration parameters =
      fitted_to_task(configured({"algo.name=nes", "policy.width=0.5"}), two_actions(), kRms);
  EXPECT_EQ(parameters.hyperpolicy.variance, (std::vector{0.5, 0.5, 0.03125, 0.03125}));
  EXPECT_EQ(parameters.policy.variance, Configuration{}.policy.variance);
}

TEST(TaskScale, LearnedDeviationsStartAtTheWidth) {
  for (const std::string kind : {"linear-gaussian", "mlp-gaussian"}) {
    const Configuration fitted = fitted_to_task(
        configured({"policy.kind=" + kind, "policy.width=0.5", "policy.scaling=pilot", "policy.learn_deviation=true"}),
        two_actions(), kRms);
    const std::vector<double> theta = make_policy(fitted, two_actions())->initial_parameters(1);
    EXPECT_NEAR(theta[theta.size() - 2], 0.0, 1e-15);
    EXPECT_NEAR(theta.back(), std::log(0.25), 1e-15);
  }
}

TEST(TaskScale, WithoutARangeAWidthIsItself) {
  EnvironmentDefinition unbounded = two_actions();
  unbounded.action_ranges.clear();
  EXPECT_EQ(fitted_to_task(configured({"policy.width=0.5"}), unbounded, {}).policy.variance, (std::vector{0.25, 0.25}));
}

TEST(TaskScale, ANetworksOutputsSpanTheRange) {
  const Configuration fitted =
      fitted_to_task(configured({"policy.kind=mlp-gaussian", "policy.scaling=pilot"}), two_actions(), kRms);
  EXPECT_EQ(fitted.policy.action_scale, (std::vector{2.0, 0.5}));
  EXPECT_EQ(fitted.policy.action_shift, (std::vector{1.0, 0.0}));
}

TEST(TaskScale, ANetworksParametersHaveOneVarianceEach) {
  for (const char* bias : {"policy.bias=false", "policy.bias=true"}) {
    const Configuration fitted =
        fitted_to_task(configured({"algo.name=nes", "policy.kind=mlp-gaussian", "policy.hidden=[4]", bias,
                                   "policy.scaling=pilot", "policy.width=1.0"}),
                       two_actions(), kRms);
    const auto policy = make_policy(fitted, two_actions());
    EXPECT_EQ(2 * as_index(fitted.hyperpolicy.variance.size()), policy->parameter_count());
    EXPECT_EQ(fitted.hyperpolicy.variance.front(), fitted.policy.bias ? 1.0 / 3.0 : 1.0 / 2.0) << "one of 3 is 0";
    EXPECT_EQ(fitted.hyperpolicy.variance.back(), fitted.policy.bias ? 1.0 / 5.0 : 1.0 / 4.0);
  }
}

TEST(TaskScale, AWidthMustGiveUsableVariances) {
  for (const char* algorithm : {"algo.name=rpg", "algo.name=nes"}) {
    for (const char* width : {"policy.width=1e-30", "policy.width=1e30", "policy.width=1e308"}) {
      expect_throw([&] { fitted_to_task(configured({algorithm, width}), two_actions(), {}); }, "policy.width = 1e");
    }
  }
}

TEST(TaskScale, AWidthWithoutAFeatureLeavesTheErrorToThePolicy) {
  const Configuration fitted = fitted_to_task(
      configured({"algo.name=nes", "policy.width=0.5", "policy.shift=[0.0, 0.0, 0.0]", "policy.scale=[0.0, 0.0, 0.0]"}),
      two_actions(), {});
  expect_throw([&] { make_policy(fitted, two_actions()); }, "policy.scale leaves out every observation");
}

TEST(TaskScale, GivenScalesNeedNoPilot) {
  EXPECT_FALSE(needs_pilot(Configuration{}));
  EXPECT_TRUE(needs_pilot(configured({"policy.scaling=pilot"})));
  EXPECT_FALSE(needs_pilot(
      configured({"policy.scaling=pilot", "policy.shift=[0.0, 0.0, 0.0, 0.0]", "policy.scale=[1.0, 1.0, 1.0, 1.0]"})));
}

TEST(TaskScale, APilotThatSawNothingIsRefused) {
  const std::array<double, 3> nothing{};
  expect_throw([&] { fitted_to_task(configured({"policy.scaling=pilot"}), two_actions(), nothing); },
               "every observation of the pilot trajectory is 0");
}

}  // namespace
}  // namespace retropg::test
