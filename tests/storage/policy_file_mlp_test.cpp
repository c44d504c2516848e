// Policy files of networks; policy_file_test.cpp has what all policies share.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "retropg/storage/policy_file.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/storage/safetensors.hpp"
#include "support/bits.hpp"
#include "support/files.hpp"
#include "support/policy_file.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

/// A small network for Cart Pole with every option on: 4-3-2-1 with biases, 26 parameters.
Configuration network() {
  return configured({"policy.kind=mlp-gaussian", "policy.hidden=[3, 2]", "policy.activation=relu", "policy.bias=true",
                     "policy.variance=[0.7]", "policy.shift=[0.1, 0.2, 0.3, 0.4]", "policy.scale=[1, 2, 3, 4]",
                     "policy.action_shift=[0.5]", "policy.action_scale=[-2]"});
}

std::vector<double> parameters() {
  std::vector<double> theta;
  for (int i = 0; i < 26; ++i) theta.push_back(std::sin(static_cast<double>(i)) / 3.0);
  return theta;
}

Tensors valid() {
  const TemporaryFolder folder;
  save_policy(folder / "p", saved_policy(network(), cart_pole(), parameters()));
  return read_safetensors(folder / "p");
}

/// A valid file with one change must be refused.
void expect_refused(const std::function<void(Tensors&)>& change, const std::string& problem) {
  expect_unreadable(valid(), change, problem);
}

TEST(NetworkFile, GivesBackWhatWasSaved) {
  const TemporaryFolder folder;
  save_policy(folder / "p", saved_policy(network(), cart_pole(), parameters()));
  const SavedPolicy loaded = load_policy(folder / "p");
  EXPECT_EQ(loaded.settings, network().policy);
  EXPECT_EQ(loaded.environment, "CartPoleContinuous-v0");
  EXPECT_EQ(loaded.observation_size, 4);
  EXPECT_EQ(loaded.action_size, 1);
  EXPECT_EQ(bits(loaded.parameters), bits(parameters()));
}

TEST(NetworkFile, KeepsEveryActivationAndShape) {
  const TemporaryFolder folder;
  for (const std::string activation : {"tanh", "relu", "identity"}) {
    for (const std::string hidden : {"[]", "[1]", "[32, 32]", "[5, 4, 3]"}) {
      const Configuration configuration =
          configured({"policy.kind=mlp-gaussian", "policy.activation=" + activation, "policy.hidden=" + hidden});
      const EnvironmentDefinition environment = make_environment(configuration);
      const std::vector<double> theta = make_policy(configuration, environment)->initial_parameters(1);
      save_policy(folder / "p", saved_policy(configuration, environment, theta));
      const SavedPolicy loaded = load_policy(folder / "p");
      EXPECT_EQ(loaded.settings, configuration.policy) << activation << ", " << hidden;
      EXPECT_EQ(loaded.parameters, theta) << activation << ", " << hidden;
    }
  }
}

TEST(NetworkFile, ActsAsTheSavedPolicyDid) {
  const TemporaryFolder folder;
  const Configuration configuration = network();
  const EnvironmentDefinition environment = make_environment(configuration);
  save_policy(folder / "p", saved_policy(configuration, environment, parameters()));
  const SavedPolicy saved = load_policy(folder / "p");
  Configuration again;
  again.policy = saved.settings;
  const std::vector<double> observation{0.3, 0.1, -0.2, 0.9};
  std::vector<double> expected(1), action(1);
  make_policy(configuration, environment)->mean(parameters(), observation, expected);
  make_policy(again, environment)->mean(saved.parameters, observation, action);
  EXPECT_EQ(bits(action), bits(expected));
  EXPECT_NE(action[0], 0.5) << "the network must have its say beside the shift";
}

TEST(NetworkFile, IsDescribedByPlainNames) {  // what a reader in another language relies on
  const Tensors tensors = valid();
  EXPECT_EQ(tensors.metadata.at("format"), "retropg-policy-1");
  EXPECT_EQ(tensors.metadata.at("kind"), "mlp-gaussian");
  EXPECT_EQ(tensors.metadata.at("activation"), "relu");
  EXPECT_EQ(tensors.metadata.at("bias"), "true");
  EXPECT_EQ(tensors.values.at("hidden"), (std::vector<double>{3.0, 2.0}));
  EXPECT_EQ(tensors.values.at("action_shift"), std::vector<double>{0.5});
  EXPECT_EQ(tensors.values.at("action_scale"), std::vector<double>{-2.0});
  EXPECT_EQ(bits(tensors.values.at("parameters")), bits(parameters()));
}

TEST(NetworkFile, RefusesLayersThatAreNone) {
  for (const double size : {0.0, -1.0, 2.5, 1e6, 1e300, -1e300}) {
    expect_refused([&](Tensors& tensors) { tensors.values["hidden"] = {3.0, size}; }, "hidden");
  }
}

TEST(NetworkFile, RefusesAnUnknownActivationOrKind) {
  for (const char* name : {"sigmoid", "", "Tanh"}) {
    expect_refused([&](Tensors& tensors) { tensors.metadata["activation"] = name; }, "activation");
  }
  expect_refused([](Tensors& tensors) { tensors.metadata["kind"] = "mlp-gausian"; }, "mlp-gausian");
}

TEST(NetworkFile, RefusesPartsThatDoNotFitTogether) {
  expect_refused([](Tensors& tensors) { tensors.values["hidden"] = {3.0, 3.0}; }, "parameters");
  expect_refused([](Tensors& tensors) { tensors.values["hidden"] = {}; }, "parameters");
  expect_refused([](Tensors& tensors) { tensors.metadata["bias"] = "false"; }, "parameters");
  expect_refused([](Tensors& tensors) { tensors.values["parameters"].pop_back(); }, "parameters");
  expect_refused([](Tensors& tensors) { tensors.metadata["action_size"] = "2"; }, "action");
  expect_refused([](Tensors& tensors) { tensors.values["action_shift"] = {}; }, "action_shift");
  expect_refused([](Tensors& tensors) { tensors.values["action_scale"] = {1.0, 2.0}; }, "action_scale");
}

TEST(NetworkFile, NamesWhatIsMissing) {
  Tensors tensors = valid();
  tensors.metadata.erase("exploration");           // files of earlier versions say it of parameters only
  tensors.metadata.erase("environment_settings");  // and have none
  expect_missing_parts_named(tensors);
}

}  // namespace
}  // namespace retropg::test
