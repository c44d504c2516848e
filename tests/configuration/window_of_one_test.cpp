#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/session.hpp"

namespace retropg::test {
namespace {

/// The bits of the parameters after every iteration of a short run.
std::vector<std::vector<std::uint64_t>> path(std::vector<std::string> settings, const std::string& algorithm) {
  settings.insert(settings.end(), {"algo.name=" + algorithm, "algo.window=1", "algo.batch=7", "env.horizon=40"});
  Session session(configured(settings));
  std::vector<std::vector<std::uint64_t>> result;
  for (int k = 0; k < 8; ++k) {
    session.iterate();
    result.push_back(bits(session.trainer.parameters()));
  }
  return result;
}

const std::vector<std::vector<std::string>> kPolicies = {
    {}, {"policy.evidence=steps"}, {"policy.kind=mlp", "policy.hidden=[6, 5]", "policy.bias=true"}};

TEST(WindowOfOne, HasTheVeryBitsOfGpomdp) {
  for (const auto& policy : kPolicies) {
    const auto expected = path(policy, "gpomdp");
    EXPECT_NE(expected.front(), expected.back()) << "it moves";
    for (const char* algorithm : {"rpg", "rpg-theory", "miw-pg", "bh-pg"}) {
      EXPECT_EQ(path(policy, algorithm), expected) << algorithm;
    }
  }
}

TEST(WindowOfOne, HasThemForExplicitCoefficientsToo) {
  const auto expected = path({}, "gpomdp");
  for (const char* lambda : {"algo.lambda=[0]", "algo.lambda=[0.4]", "algo.lambda=[1]"}) {
    EXPECT_EQ(path({"algo.coefficients=explicit", lambda}, "rpg"), expected) << lambda;
  }
}

TEST(WindowOfOne, HasTheVeryBitsOfPgpeWithExplorationInParameters) {
  const auto expected = path({}, "pgpe");
  EXPECT_NE(expected.front(), expected.back()) << "it moves";
  for (const char* algorithm : {"pb-rpg", "pb-miw", "pb-bh"}) EXPECT_EQ(path({}, algorithm), expected) << algorithm;
}

}  // namespace
}  // namespace retropg::test
