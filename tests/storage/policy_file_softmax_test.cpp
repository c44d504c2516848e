// Policy files of softmax policies; policy_file_test.cpp has what all policies share.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "retropg/configuration/registry.hpp"
#include "retropg/storage/policy_file.hpp"
#include "retropg/storage/safetensors.hpp"
#include "retropg/storage/trained_policy.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/policy_file.hpp"
#include "support/random_batch.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

Configuration configuration(const std::string& kind, const std::string& exploration) {
  return configured({"env.id=CartPole-v1", "policy.kind=" + kind, "policy.hidden=[3]", "policy.bias=true",
                     "policy.exploration=" + exploration, "policy.shift=[0, 0, 0, 0]", "policy.scale=[1, 0, 2, 3]"});
}

TEST(SoftmaxFile, GivesBackWhatWasSaved) {
  const TemporaryFolder folder;
  for (const std::string kind : {"softmax-linear", "softmax-mlp"}) {
    for (const std::string exploration : {"actions", "parameters"}) {
      const Configuration settings = configuration(kind, exploration);
      const EnvironmentDefinition environment = make_environment(settings);
      const std::vector<double> theta = random_numbers(make_policy(settings, environment)->parameter_count(), 0.5, 1);
      save_policy(folder / "p", saved_policy(settings, environment, theta));
      const SavedPolicy loaded = load_policy(folder / "p");
      EXPECT_EQ(loaded.settings.kind, kind);
      EXPECT_EQ(loaded.settings.scale, settings.policy.scale);
      EXPECT_EQ(loaded.action_size, 1);
      EXPECT_EQ(loaded.action_count, 2);
      EXPECT_EQ(bits(loaded.parameters), bits(theta));
      const std::vector<double> returns =
          evaluate(load_trained_policy(folder / "p", std::nullopt), {.episodes = 20, .seed = 1});
      EXPECT_EQ(returns.size(), 20u);
    }
  }
}

TEST(SoftmaxFile, IsRefusedWithoutOrWithOtherActions) {
  const TemporaryFolder folder;
  const Configuration settings = configuration("softmax-linear", "actions");
  save_policy(folder / "p", saved_policy(settings, make_environment(settings), std::vector<double>(8, 0.1)));
  const Tensors valid = read_safetensors(folder / "p");
  const auto expect_refused = [&](const std::function<void(Tensors&)>& change, const std::string& problem) {
    expect_unreadable(valid, change, problem);
  };
  expect_refused([](Tensors& tensors) { tensors.metadata.erase("action_count"); }, "draws discrete actions");
  expect_refused([](Tensors& tensors) { tensors.metadata["action_count"] = "3"; }, "the architecture needs 12");
  expect_refused([](Tensors& tensors) { tensors.metadata["action_count"] = "-2"; }, "a positive whole number");
  expect_refused([](Tensors& tensors) { tensors.metadata["kind"] = "linear-gaussian"; }, "draws continuous actions");
}

}  // namespace
}  // namespace retropg::test
