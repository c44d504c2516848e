// Damaged policy files and configurations: each is refused with an Error or is a valid one.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/storage/policy_file.hpp"
#include "retropg/storage/safetensors.hpp"
#include "support/files.hpp"
#include "support/mutator.hpp"
#include "support/reads_or_refuses.hpp"
#include "support/restamp.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr std::size_t kMutations = 10'000;

std::vector<std::string> policy_files() {
  std::vector<std::string> files;
  for (const std::vector<std::string>& settings : std::vector<std::vector<std::string>>{
           {"policy.bias=true", "policy.shift=[1, 2, 3, 4]", "policy.scale=[1, 2, 3, 4]"},
           {"policy.kind=mlp-gaussian", "policy.hidden=[3, 2]", "policy.action_shift=[1]", "policy.action_scale=[2]"},
           {"policy.learn_deviation=true"},
           {"algo.name=pgpe", "hyperpolicy.variance=0.25", "hyperpolicy.learn_deviation=true"},
           {"env.id=CartPole-v1", "policy.bias=true"}}) {
    const Configuration configuration = configured(settings);
    const EnvironmentDefinition environment = make_environment(configuration);
    const TemporaryFolder folder;
    save_policy(folder / "p", saved_policy(configuration, environment,
                                           make_policy(configuration, environment)->initial_parameters(1)));
    files.push_back(read_file(folder / "p"));
  }
  return files;
}

TEST(PolicyMutations, AreRefusedOrPolicies) {
  const std::vector<std::string> files = policy_files();
  Mutator mutate(20260102);
  std::size_t read = 0;
  for (std::size_t i = 0; i < kMutations; ++i) {
    const std::string& whole = files[i % files.size()];
    const std::string bytes = mutate.below(2) == 0 ? mutate(whole) : mutate.in_place(whole, data_size(whole));
    read += reads_or_refuses(bytes.size(), [&] {
      const SavedPolicy policy = parse_policy(bytes, "policy");
      EXPECT_TRUE(all_finite(policy.parameters) && policy.observation_size >= 1 && policy.action_size >= 1);
    });
  }
  EXPECT_GT(read, kMutations / 20);
  EXPECT_LT(read, kMutations * 9 / 10);
}

TEST(SafetensorsMutations, AreRefusedOrWhole) {
  const std::string whole = to_safetensors({.metadata = {{"a", "b"}, {"c", "\"d\""}},
                                            .values = {{"x", {1.0, 2.0}}, {"y", {}}, {"z", {3.0}}},
                                            .counts = {{"n", {4, 5}}, {"m", {}}}});
  Mutator mutate(20260103);
  for (std::size_t i = 0; i < kMutations; ++i) {
    const std::string bytes = mutate(whole);
    reads_or_refuses(bytes.size(), [&] {
      const Tensors tensors = parse_safetensors(bytes, "file");
      const Tensors again = parse_safetensors(to_safetensors(tensors), "file");
      EXPECT_EQ(again.metadata, tensors.metadata);
      EXPECT_EQ(again.counts, tensors.counts);
      EXPECT_EQ(again.values.size(), tensors.values.size());
    });
  }
}

TEST(ConfigurationMutations, AreRefusedOrConfigurations) {
  const std::vector<std::string> texts{
      to_toml({}), to_toml(configured({"algo.window=all", "env.horizon=30", "policy.shift=[1, -2.5, 1e-3]"})),
      "algo.window = 4 # four\n[env]\nid = 'CartPole'\n\n[policy]\nhidden = [\n  3,\n  2,\n]\n[train]\nseed = 0x1F\n"};
  Mutator mutate(20260104);
  std::size_t read = 0;
  for (std::size_t i = 0; i < kMutations; ++i) {
    const std::string text = mutate(texts[i % texts.size()]);
    read += reads_or_refuses(text.size(), [&] {
      const Configuration configuration = parse_configuration(text, "run.toml");
      EXPECT_EQ(parse_configuration(to_toml(configuration), "again.toml"), configuration);
    });
    reads_or_refuses(text.size(), [&] { parse_run_configuration(text, "config.toml"); });
  }
  EXPECT_GT(read, kMutations / 20);
  EXPECT_LT(read, kMutations * 9 / 10);
}

}  // namespace
}  // namespace retropg::test
