#include "retropg/configuration/unread_key.hpp"

#include <gtest/gtest.h>

#include "support/session.hpp"

namespace retropg::test {
namespace {

TEST(HasEffect, IsThatOfWhatIsReadAndOfHowARunIsCarriedOut) {
  const Configuration plain = configured({"algo.name=gpomdp"});
  for (const char* key : {"algo.batch", "optimizer.rate", "train.threads", "train.output", "checkpoint.every",
                          "log.metrics", "policy.evidence", "env.id", "train.steps"}) {
    EXPECT_TRUE(has_effect(plain, key)) << key;
  }
  for (const char* key : {"algo.window", "pois.delta", "policy.hidden", "lqr.input", "hyperpolicy.variance"}) {
    EXPECT_FALSE(has_effect(plain, key)) << key;
  }
  EXPECT_FALSE(has_effect(configured({"algo.name=pgpe"}), "policy.evidence")) << "draws no actions";
  EXPECT_FALSE(has_effect(plain, "train.eval_episodes")) << "there are no evaluations";
  EXPECT_TRUE(has_effect(configured({"train.eval_every=2"}), "train.eval_episodes"));
}

TEST(UnreadKey, NamesWhoDoesNotReadItAndWhatIsRead) {
  const auto message = [](const std::vector<std::string>& settings, const char* key) {
    return unread_key_message(configured(settings), key);
  };
  EXPECT_EQ(message({"algo.name=gpomdp"}, "algo.window"),
            "gpomdp does not read algo.window with these settings (read in [algo]: batch, baseline)");
  EXPECT_EQ(message({"optimizer.kind=constant"}, "optimizer.beta1"),
            "rpg does not read optimizer.beta1 with these settings (read in [optimizer]: kind, rate, trust)");
  EXPECT_EQ(message({"algo.name=pgpe"}, "policy.variance"),
            "pgpe does not read policy.variance with these settings (read in [policy]: bias, shift, scale, "
            "scaling, width)");
  EXPECT_EQ(message({}, "policy.hidden"),
            "linear-gaussian does not read policy.hidden with these settings (read in [policy]: variance, "
            "learn_deviation, exploration, bias, shift, scale, scaling, width, evidence)");
  EXPECT_EQ(message({"env.id=bandit"}, "env.horizon"),
            "GaussianBandit-v0 does not read env.horizon with these settings (read: bandit.target, bandit.width)");
  EXPECT_EQ(message({"algo.baseline=value"}, "baseline.rate"),
            "the baseline \"value\" does not read baseline.rate with these settings (read in [baseline]: ridge)");
  EXPECT_EQ(message({}, "baseline.rate"),
            "the baseline \"none\" does not read baseline.rate with these settings (see `retropg list baseline.rate`)");
  EXPECT_EQ(message({"algo.name=pgpe"}, "optimizer.trust"),
            "pgpe does not read optimizer.trust with these settings (read in [optimizer]: kind, rate, beta1, beta2, "
            "epsilon)");
  EXPECT_EQ(message({"algo.name=rnpg", "optimizer.kind=constant"}, "optimizer.trust"),
            "rnpg does not read optimizer.trust with these settings (read in [optimizer]: kind, rate)");
  EXPECT_EQ(message({"policy.width=0.3"}, "policy.variance"),
            "rpg does not read policy.variance with these settings (policy.width takes its place)");
  EXPECT_EQ(message({}, "train.eval_episodes"),
            "rpg does not read train.eval_episodes with these settings (read with train.eval_every above 0)");
}

TEST(UnreadKey, BlamesThePolicyWhereAnotherOneWouldHaveItRead) {
  for (const std::string key : {"policy.variance", "policy.learn_deviation"}) {
    const std::string discrete = unread_key_message(configured({"env.id=CartPole-v1"}), key);
    EXPECT_TRUE(discrete.starts_with("softmax-linear does not read " + key)) << discrete;
    const std::string drawn = unread_key_message(configured({"env.id=CartPole-v1", "algo.name=pgpe"}), key);
    EXPECT_TRUE(drawn.starts_with("pgpe does not read " + key)) << drawn;
  }
  const std::string spread = unread_key_message(configured({"algo.name=bpo"}), "policy.learn_deviation");
  EXPECT_TRUE(spread.starts_with("bpo does not read")) << spread;
}

TEST(UnreadKey, ListsTheKeysOfOtherSectionsIfNoneOfItsOwnIsRead) {
  const std::string message = unread_key_message(configured({"algo.name=pois"}), "optimizer.rate");
  EXPECT_TRUE(message.starts_with(
      "pois does not read optimizer.rate with these settings (read: algo.batch, algo.baseline, pois.delta, "))
      << message;
  EXPECT_EQ(message.find("train."), std::string::npos) << message;
  EXPECT_NE(unread_key_message(configured({}), "hyperpolicy.variance")
                .find("(read: policy.variance, policy.learn_deviation, policy.explor"),
            std::string::npos);
}

}  // namespace
}  // namespace retropg::test
