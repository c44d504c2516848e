#include "retropg/storage/policy_file.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "retropg/storage/safetensors.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/policy_file.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

const std::vector<double> kTheta{0.1, -1e-310, 3e300, -0.0};

/// What a file of a linear policy for Cart Pole holds.
Tensors valid() {
  const TemporaryFolder folder;
  save_policy(folder / "p", saved_policy({}, cart_pole(), kTheta));
  return read_safetensors(folder / "p");
}

/// A valid file with one change must be refused.
void expect_refused(const std::function<void(Tensors&)>& change, const std::string& problem) {
  expect_unreadable(valid(), change, problem);
}

TEST(PolicyFile, GivesBackWhatWasSaved) {
  const TemporaryFolder folder;
  Configuration configuration;
  PolicySettings& settings = configuration.policy;
  settings.variance = {0.1 + 0.2};
  settings.bias = true;
  settings.shift = {1.0, 2.0, 3.0, 0.1};
  settings.scale = {0.5, 1.0, 2.0, 1e-5};
  const std::vector<double> theta{0.1, -1e-310, 3e300, -0.0, 7.0};
  save_policy(folder / "p", saved_policy(configuration, cart_pole(), theta));
  const SavedPolicy loaded = load_policy(folder / "p");
  EXPECT_EQ(loaded.environment, "CartPoleContinuous-v0");
  EXPECT_EQ(loaded.observation_size, 4);
  EXPECT_EQ(loaded.action_size, 1);
  EXPECT_EQ(loaded.settings.kind, "linear-gaussian");
  EXPECT_EQ(loaded.settings.bias, settings.bias);
  EXPECT_EQ(bits(loaded.settings.variance), bits(settings.variance));
  EXPECT_EQ(loaded.settings.shift, settings.shift);
  EXPECT_EQ(loaded.settings.scale, settings.scale);
  EXPECT_EQ(bits(loaded.parameters), bits(theta));

  save_policy(folder / "q", saved_policy({}, cart_pole(), kTheta));
  EXPECT_FALSE(load_policy(folder / "q").settings.bias);
  EXPECT_TRUE(load_policy(folder / "q").settings.shift.empty());
}

TEST(PolicyFile, HasTheRangesOfActions) {
  const TemporaryFolder folder;
  EnvironmentDefinition environment = cart_pole();
  environment.action_ranges = {{.low = -0.1, .high = 3e-300}};
  save_policy(folder / "p", saved_policy({}, environment, kTheta));
  const SavedPolicy loaded = load_policy(folder / "p");
  ASSERT_EQ(loaded.action_ranges.size(), 1);
  EXPECT_EQ(loaded.action_ranges[0].low, -0.1);
  EXPECT_EQ(loaded.action_ranges[0].high, 3e-300);
  environment.action_ranges.clear();
  save_policy(folder / "q", saved_policy({}, environment, kTheta));
  EXPECT_FALSE(read_safetensors(folder / "q").values.contains("action_low")) << "as in earlier versions";
  EXPECT_TRUE(load_policy(folder / "q").action_ranges.empty());

  const auto refuse = [valid = read_safetensors(folder / "p")](const char* tensor, const std::vector<double>& values,
                                                               const std::string& problem) {
    const auto change = [&](Tensors& tensors) { tensors.values[tensor] = values; };
    expect_unreadable(valid, change, problem);
  };
  refuse("action_low", {}, "should have one number per action");
  refuse("action_high", {1.0, 2.0}, "should have one number per action");
  refuse("action_low", {3e-300}, "tensor 'action_low' should be below 'action_high'");
  refuse("action_high", {std::numeric_limits<double>::infinity()}, "holds a number that is not finite");
}

TEST(PolicyFile, ActsAsTheSavedPolicyDid) {
  const TemporaryFolder folder;
  const Configuration configuration =
      configured({"policy.bias=true", "policy.shift=[0.1, 0.2, 0.3, 0.4]", "policy.scale=[1, 2, 3, 4]"});
  const EnvironmentDefinition environment = make_environment(configuration);
  const std::vector<double> theta{1.0, -2.0, 0.5, 0.25, 3.0}, observation{0.3, 0.1, -0.2, 0.9};
  save_policy(folder / "p", saved_policy(configuration, environment, theta));

  const SavedPolicy saved = load_policy(folder / "p");
  Configuration again;
  again.policy = saved.settings;
  const auto policy = make_policy(again, environment);
  std::vector<double> expected(1), action(1);
  make_policy(configuration, environment)->mean(theta, observation, expected);
  policy->mean(saved.parameters, observation, action);
  EXPECT_EQ(action, expected);
  // By hand: 1 (0.3 - 0.1) 1 - 2 (0.1 - 0.2) 2 + 0.5 (-0.2 - 0.3) 3 + 0.25 (0.9 - 0.4) 4 + 3
  EXPECT_NEAR(action[0], 0.2 + 0.4 - 0.75 + 0.5 + 3.0, 1e-14);
}

Configuration hyperpolicy_configuration() {
  return configured({"policy.exploration=parameters", "hyperpolicy.variance=[0.1, 0.2, 0.3, 0.4]",
                     "hyperpolicy.learn_deviation=true"});
}
const std::vector<double> kLearned{0.1, -1e-310, 3e300, -0.0, -1.0, 0.5, 0.0, 2.0};

TEST(PolicyFile, GivesBackAHyperpolicy) {
  const TemporaryFolder folder;
  for (const bool learned : {false, true}) {
    Configuration explores = hyperpolicy_configuration();
    explores.hyperpolicy.learn_deviation = learned;
    const std::vector<double>& xi = learned ? kLearned : kTheta;
    save_policy(folder / "p", saved_policy(explores, cart_pole(), xi));
    const SavedPolicy loaded = load_policy(folder / "p");
    EXPECT_EQ(loaded.exploration, Exploration::kParameters);
    EXPECT_EQ(loaded.hyperpolicy, explores.hyperpolicy);
    EXPECT_EQ(bits(loaded.parameters), bits(xi));
    Configuration configuration = configured({"algo.name=gpomdp"});  // which draws actions unless told otherwise
    take_policy(configuration, loaded);
    EXPECT_EQ(configuration.algo.name, "gpomdp");
    EXPECT_EQ(make_policy(configuration, cart_pole())->parameter_count(), learned ? 8 : 4);
    save_policy(folder / "q", saved_policy({}, cart_pole(), kTheta));
    take_policy(configuration, load_policy(folder / "q"));
    EXPECT_EQ(exploration_of(configuration), Exploration::kActions);
  }
}

TEST(PolicyFile, GivesBackLearnedDeviations) {
  const TemporaryFolder folder;
  for (const std::string kind : {"linear-gaussian", "mlp-gaussian"}) {
    const Configuration learns =
        configured({"policy.kind=" + kind, "policy.hidden=[3]", "policy.variance=0.2", "policy.learn_deviation=true"});
    std::vector<double> theta = make_policy(learns, cart_pole())->initial_parameters(1);
    theta.back() = -1.5;
    save_policy(folder / "p", saved_policy(learns, cart_pole(), theta));
    const SavedPolicy loaded = load_policy(folder / "p");
    EXPECT_TRUE(loaded.settings.learn_deviation);
    EXPECT_EQ(bits(loaded.parameters), bits(theta));
    const Tensors valid = read_safetensors(folder / "p");
    expect_unreadable(
        valid, [](Tensors& t) { t.metadata["learn_deviation"] = "maybe"; },
        "'learn_deviation' should be true or false");
    const std::string needed = "the architecture needs " + std::to_string(theta.size() - 1);
    expect_unreadable(
        valid, [](Tensors& t) { t.metadata.erase("learn_deviation"); }, needed);
  }
  save_policy(folder / "q", saved_policy({}, cart_pole(), kTheta));
  EXPECT_FALSE(read_safetensors(folder / "q").metadata.contains("learn_deviation")) << "as in earlier versions";
  EXPECT_FALSE(load_policy(folder / "q").settings.learn_deviation);
}

TEST(PolicyFile, RefusesAHyperpolicyThatDoesNotFitTogether) {
  const TemporaryFolder folder;
  save_policy(folder / "p", saved_policy(hyperpolicy_configuration(), cart_pole(), kLearned));
  const auto refuse = [valid = read_safetensors(folder / "p")](const std::function<void(Tensors&)>& change,
                                                               const std::string& problem) {
    expect_unreadable(valid, change, problem);
  };
  refuse([](Tensors& t) { t.metadata["exploration"] = "both"; },
         "'exploration' should be actions or parameters, not 'both'");
  refuse([](Tensors& t) { t.metadata["exploration"] = "actions"; }, "has 8 numbers; the architecture needs 5");
  refuse([](Tensors& t) { t.metadata.erase("learn_deviation"); }, "no 'learn_deviation'");
  refuse([](Tensors& t) { t.metadata["learn_deviation"] = "yes"; }, "'learn_deviation' should be true or false");
  refuse([](Tensors& t) { t.metadata["learn_deviation"] = "false"; }, "has 8 numbers; the architecture needs 4");
  refuse([](Tensors& t) { t.metadata.erase("exploration"); }, "has 8 numbers; the architecture needs 5");
  refuse([](Tensors& t) { t.values.erase("hyperpolicy_variance"); }, "has no tensor 'hyperpolicy_variance'");
  refuse([](Tensors& t) { t.values["hyperpolicy_variance"] = {0.1, 0.2}; }, "hyperpolicy.variance has 2 numbers");
  refuse([](Tensors& t) { t.values["hyperpolicy_variance"] = {-0.1}; }, "hyperpolicy.variance");
}

TEST(PolicyFile, IsAValidOne) {
  const TemporaryFolder folder;
  write_safetensors(folder / "p", valid());
  EXPECT_EQ(bits(load_policy(folder / "p").parameters), bits(kTheta)) << "what the refusals below start from";
}

TEST(PolicyFile, NamesWhatIsMissing) {
  Tensors tensors = valid();
  tensors.metadata.erase("exploration");           // files of earlier versions say it of parameters only
  tensors.metadata.erase("environment_settings");  // and have none
  expect_missing_parts_named(tensors);
}

TEST(PolicyFile, RefusesAnotherFormat) {
  expect_refused([](Tensors& tensors) { tensors.metadata["format"] = "retropg-policy-9"; },
                 "unknown format 'retropg-policy-9'; expected 'retropg-policy-1'");
  expect_refused([](Tensors& tensors) { tensors.metadata.clear(); }, "is not a policy file");
}

TEST(PolicyFile, RefusesSizesThatAreNone) {
  for (const char* key : {"observation_size", "action_size"}) {
    for (const char* value : {"0", "-1", "four", "", "4.0", "4 ", "99999999999999999999"}) {
      expect_refused([&](Tensors& tensors) { tensors.metadata[key] = value; },
                     std::string("'") + key + "' should be a positive whole number");
    }
  }
}

TEST(PolicyFile, RefusesNumbersThatAreNotFinite) {
  for (const char* name : {"parameters", "variance", "shift", "scale"}) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      expect_refused(
          [&](Tensors& tensors) {
            tensors.values[name] = {1.0, bad};
          },
          std::string("tensor '") + name + "' holds a number that is not finite");
    }
  }
}

TEST(PolicyFile, RefusesPartsThatDoNotFitTogether) {
  expect_refused([](Tensors& tensors) { tensors.metadata["bias"] = "maybe"; }, "bias");
  expect_refused([](Tensors& tensors) { tensors.metadata["bias"] = "true"; }, "parameters");
  expect_refused([](Tensors& tensors) { tensors.values["parameters"] = {1.0, 2.0}; }, "parameters");
  expect_refused([](Tensors& tensors) { tensors.metadata["observation_size"] = "5"; }, "parameters");
  expect_refused([](Tensors& tensors) { tensors.values["variance"] = {}; }, "variance");
  expect_refused([](Tensors& tensors) { tensors.values["variance"] = {0.1, 0.2}; }, "variance");
  expect_refused([](Tensors& tensors) { tensors.values["variance"] = {-0.3}; }, "variance");
  expect_refused([](Tensors& tensors) { tensors.values["shift"] = {1.0}; }, "shift");
}

TEST(PolicyFile, RefusesWhatIsNoSafetensorsFile) {
  const TemporaryFolder folder;
  write_file(folder / "p", "[env]\nid = 'CartPole'\n");
  expect_throw([&] { load_policy(folder / "p"); }, (folder / "p").string() + ": is not a safetensors file");
  expect_throw([&] { load_policy(folder / "missing"); },
               "cannot read " + (folder / "missing").string() + ": No such file");
}

}  // namespace
}  // namespace retropg::test
