// Which policy a configuration gets where actions are discrete.
#include <gtest/gtest.h>

#include <string>

#include "retropg/configuration/configuration.hpp"
#include "retropg/configuration/preset.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/task_scale.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/configuration/unread_key.hpp"
#include "retropg/rollout/pilot.hpp"
#include "support/expect_throw.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

std::string kind_of(const std::vector<std::string>& settings) {
  return canonical(configured(settings)).policy.kind.value_or("none");
}

TEST(DiscreteActions, ChooseTheDefaultPolicy) {
  EXPECT_EQ(kind_of({}), "linear-gaussian");
  EXPECT_EQ(kind_of({"env.id=LQR"}), "linear-gaussian");
  EXPECT_EQ(kind_of({"env.id=CartPole-v1"}), "softmax-linear");
  EXPECT_EQ(kind_of({"env.id=CartPole-v1", "policy.kind=softmax-mlp"}), "softmax-mlp");
  EXPECT_EQ(kind_of({"env.id=CartPole-v1", "policy.kind=mlp"}), "mlp-gaussian") << "what is named stays";
  const Configuration configuration = configured({"env.id=CartPole-v1"});
  EXPECT_EQ(make_policy(configuration, make_environment(configuration))->parameter_count(), 8);
  EXPECT_EQ(TrainingRun(configuration).configuration().policy.kind, "softmax-linear");
  EXPECT_EQ(preset_configuration("CartPole-v1").policy.kind, "softmax-linear");
  EXPECT_NE(to_toml(canonical(configuration)).find("kind = \"softmax-linear\""), std::string::npos);
}

TEST(DiscreteActions, AreKnownToTheEntryOfEveryEnvironment) {
  for (const EnvironmentEntry& entry : environments()) {
    if (entry.description.starts_with("not in this build")) continue;
    Configuration configuration;
    configuration.env.id = entry.name;
    EXPECT_EQ(make_environment(configuration).action_count > 0, entry.discrete) << entry.name;
  }
}

TEST(DiscreteActions, RefuseAPolicyOfOtherActions) {
  for (const std::string policy : {"linear-gaussian", "mlp-gaussian"}) {
    for (const std::string algorithm : {"rpg", "nes"}) {
      expect_throw(
          [&] {
            train(configured({"env.id=CartPole-v1", "policy.kind=" + policy, "algo.name=" + algorithm}));
          },
          policy +
              " draws continuous actions, but CartPole-v1 has 2 discrete ones: use softmax-linear, or leave "
              "policy.kind unset");
    }
  }
  for (const std::string policy : {"softmax-linear", "softmax-mlp"}) {
    expect_throw(
        [&] {
          train(configured({"env.id=LQR", "policy.kind=" + policy}));
        },
        policy +
            " draws discrete actions, but those of LinearQuadratic-v0 are continuous: use linear-gaussian, or "
            "leave policy.kind unset");
  }
}

TEST(DiscreteActions, RefuseSettingsOfContinuousOnes) {
  const auto with = [](const std::string& setting) { train(configured({"env.id=CartPole-v1", setting})); };
  expect_throw([&] { with("policy.evidence=moments"); }, "a softmax policy keeps steps");
  expect_throw([&] { with("policy.action_scale=[2]"); }, "leave them empty for a softmax policy");
}

TEST(DiscreteActions, HaveNoVarianceToBeRead) {
  const Configuration actions = configured({"env.id=CartPole-v1"});
  const Configuration parameters = configured({"env.id=CartPole-v1", "policy.exploration=parameters"});
  EXPECT_FALSE(has_effect(actions, "policy.variance"));
  EXPECT_FALSE(has_effect(actions, "policy.width"));
  EXPECT_FALSE(has_effect(actions, "policy.hidden"));
  EXPECT_TRUE(has_effect(actions, "policy.scale"));
  EXPECT_TRUE(has_effect(parameters, "policy.width"));
  EXPECT_TRUE(has_effect(parameters, "hyperpolicy.variance"));
  const Configuration network = configured({"env.id=CartPole-v1", "policy.kind=softmax-mlp"});
  EXPECT_TRUE(has_effect(network, "policy.hidden"));
  EXPECT_FALSE(has_effect(network, "policy.action_scale"));
}

TEST(DiscreteActions, GiveTheParametersOfEveryLogitAVariance) {
  const EnvironmentDefinition environment = pushed_cart_pole();
  const std::vector<double> left_out = {2.0, 0.0, 1.0, 1.0};  // the second is always 0
  for (const std::string kind : {"softmax-linear", "softmax-mlp"}) {
    const Configuration fitted =
        fitted_to_task(configured({"env.id=CartPole-v1", "algo.name=nes", "policy.kind=" + kind, "policy.width=0.6",
                                   "policy.scaling=pilot", "policy.hidden=[3]", "policy.bias=true"}),
                       environment, left_out);
    EXPECT_EQ(as_index(fitted.hyperpolicy.variance.size()), kind == "softmax-linear" ? 8 : 4 * 3 + 4 * 2);
    EXPECT_DOUBLE_EQ(fitted.hyperpolicy.variance[0], 0.36 / 4.0);
    EXPECT_NO_THROW(make_policy(fitted, environment));
  }
}

TEST(DiscreteActions, OfThePilotAreDrawnUniformly) {
  const TrajectoryBatch pilot = pilot_trajectory(pushed_cart_pole(), 3);
  Index right = 0;
  for (const double action : pilot.actions) {
    EXPECT_TRUE(action == 0.0 || action == 1.0);
    right += action == 1.0 ? 1 : 0;
  }
  EXPECT_GT(right, 0);
  EXPECT_LT(right, pilot.steps());
}

}  // namespace
}  // namespace retropg::test
