#include "retropg/configuration/key_readers.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "retropg/configuration/builtin.hpp"
#include "retropg/configuration/configuration.hpp"
#include "retropg/configuration/key_lookup.hpp"

namespace retropg::test {
namespace {

/// Names of the built-in entries of a kind. Other tests may have registered more.
std::set<std::string> builtin(const std::string& kind) {
  std::set<std::string> names;
  const auto add = [&](const auto& entries) {
    for (const auto& entry : entries) names.insert(entry.name);
  };
  if (kind == "environment") add(builtin_environments());
  if (kind == "policy") add(builtin_policies());
  if (kind == "algorithm") add(builtin_algorithms());
  return names;
}

/// "NAMES, with CONDITION; ...", built-in ones; "all" for all of the kind.
std::string text(const char* key) {
  const std::set<std::string> known = builtin(kind_of_readers(key));
  std::string result;
  for (const KeyReaders& group : readers_of(key)) {
    std::string names;
    std::size_t count = 0;
    for (const std::string& name : group.names) {
      if (!known.contains(name)) continue;
      names += (names.empty() ? "" : " ") + name;
      ++count;
    }
    if (group.names.empty() || count == known.size()) names = "all";
    if (names.empty()) continue;
    result += (result.empty() ? "" : "; ") + names + (group.condition.empty() ? "" : ", with " + group.condition);
  }
  return result;
}

TEST(KeyReaders, AreTheEntriesThatDeclareTheKey) {
  EXPECT_EQ(text("lqr.input"), "LinearQuadratic-v0");
  EXPECT_EQ(text("policy.hidden"), "mlp-gaussian softmax-mlp");
  EXPECT_EQ(text("policy.action_scale"), "mlp-gaussian");
  EXPECT_TRUE(text("policy.learn_deviation").starts_with("rpg ")) << text("policy.learn_deviation");
  EXPECT_EQ(text("policy.learn_deviation").find("bpo"), std::string::npos);
  EXPECT_EQ(text("algo.forgetting"), "storm-pg");
  EXPECT_EQ(text("algo.refresh"), "page-pg def-pg");
  EXPECT_EQ(text("train.seed"), "all");
  EXPECT_EQ(kind_of_readers("lqr.input"), "environment");
  EXPECT_EQ(kind_of_readers("policy.hidden"), "policy");
  EXPECT_EQ(kind_of_readers("algo.window"), "algorithm");
}

TEST(KeyReaders, HaveTheSettingOnWhichTheyReadIt) {
  EXPECT_EQ(text("rnpg.kl_limit"), "rnpg, with optimizer.kind = \"constant\"");
  EXPECT_EQ(text("bpo.fit_steps"), "bpo, with policy.kind = \"mlp-gaussian\"");
  EXPECT_EQ(text("policy.width"),
            "linear-gaussian mlp-gaussian; softmax-linear softmax-mlp, with policy.exploration = \"parameters\"");
  EXPECT_TRUE(text("baseline.rate").ends_with(", with algo.baseline = \"running-mean\"")) << text("baseline.rate");
  EXPECT_NE(text("algo.window").find("bpo, with algo.baseline = \"value\" or \"value-fresh\", or bpo.reuse = true"),
            std::string::npos)
      << text("algo.window");
  EXPECT_EQ(text("train.eval_episodes"), "all, with train.eval_every above 0");
  EXPECT_NE(text("hyperpolicy.variance").find("with policy.exploration = \"parameters\""), std::string::npos);
}

TEST(KeyReaders, ExistForEveryKey) {
  for (const std::string& key : configuration_keys()) EXPECT_FALSE(readers_of(key).empty()) << key;
}

TEST(UnknownKey, SuggestsAKeyOrASection) {
  EXPECT_EQ(unknown_key_message("algo.windw"), "unknown key 'algo.windw'; did you mean 'algo.window'?");
  EXPECT_EQ(unknown_key_message("optimzer"), "unknown key 'optimzer'; did you mean the section 'optimizer'?");
}

TEST(UnknownKey, SuggestsTheKeyThatOtherProgramsCallSo) {
  for (const std::string name : {"lr", "learning_rate", "learning-rate", "optimizer.lr", "train.learning_rate"}) {
    EXPECT_EQ(unknown_key_message(name), "unknown key '" + name + "'; did you mean 'optimizer.rate'?");
  }
  for (const std::string name : {"timesteps", "train.timesteps", "total_timesteps"}) {
    EXPECT_EQ(unknown_key_message(name), "unknown key '" + name + "'; did you mean 'train.steps'?");
  }
  EXPECT_EQ(unknown_key_message("algo.gamma"), "unknown key 'algo.gamma'; did you mean 'env.discount'?");
  EXPECT_EQ(unknown_key_message("train.rate"), "unknown key 'train.rate'; did you mean 'optimizer.rate'?");
}

}  // namespace
}  // namespace retropg::test
