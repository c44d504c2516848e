#include "retropg/core/suggest.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace retropg::test {
namespace {

const std::vector<std::string> kAlgorithms{"rpg", "miw-pg", "bh-pg", "gpomdp", "reinforce"};

TEST(Closest, FindsTheNameOneEditAway) {
  EXPECT_EQ(closest("rpgg", kAlgorithms), "rpg");             // inserted
  EXPECT_EQ(closest("gpomp", kAlgorithms), "gpomdp");         // left out
  EXPECT_EQ(closest("miv-pg", kAlgorithms), "miw-pg");        // replaced
  EXPECT_EQ(closest("reinfroce", kAlgorithms), "reinforce");  // swapped
}

TEST(Closest, CountsSwappedNeighborsAsOneEdit) {
  const std::vector<std::string> names{"abxxef", "abdcef"};
  EXPECT_EQ(closest("abcdef", names), "abdcef");  // without swaps both would be two edits away, and the first would win
}

TEST(Closest, TakesTheFirstOfEquallyNearNames) {
  EXPECT_EQ(closest("beta", std::vector<std::string>{"beta1", "beta2"}), "beta1");
}

TEST(Closest, DoesNotMindTheCaseOfLetters) {
  EXPECT_EQ(closest("RPG", kAlgorithms), "rpg");
  EXPECT_EQ(closest("cartpolecontinuous-v0", std::vector<std::string>{"CartPoleContinuous-v0"}),
            "CartPoleContinuous-v0");
}

TEST(SameName, DoesNotMindTheCaseOfLettersAndNothingElse) {
  EXPECT_TRUE(same_name("HalfCheetah-v4", "halfcheetah-V4"));
  EXPECT_TRUE(same_name("", ""));
  EXPECT_FALSE(same_name("rpg", "rpg "));
  EXPECT_FALSE(same_name("rpg", "rp"));
  EXPECT_FALSE(same_name("a[", "a{")) << "these differ in the bit that makes letters small";
}

TEST(Closest, AllowsMoreEditsInLongerNames) {
  EXPECT_EQ(closest("abcdefghiXYZ", std::vector<std::string>{"abcdefghijkl"}), "abcdefghijkl");  // 3 of 12
  EXPECT_EQ(closest("abcdefgUVWXYZ", std::vector<std::string>{"abcdefghijklm"}), "");            // 6 of 13
}

TEST(Closest, IsEmptyIfNothingIsNear) {
  EXPECT_EQ(closest("sarsa", kAlgorithms), "");
  EXPECT_EQ(closest("xy", std::vector<std::string>{"ab"}), "");  // two edits, but nothing of the name is left
  EXPECT_EQ(closest("", kAlgorithms), "");
  EXPECT_EQ(closest("rpg", std::vector<std::string>{}), "");
}

TEST(Unknown, NamesWhatIsUnknownWhatWasMeantAndWhatThereIs) {
  EXPECT_EQ(unknown_name_message("algorithm", "rgp", kAlgorithms),
            "unknown algorithm 'rgp'; did you mean 'rpg'? (known: rpg, miw-pg, bh-pg, gpomdp, reinforce)");
  EXPECT_EQ(unknown_name_message("policy", "neural", std::vector<std::string>{"linear-gaussian"}),
            "unknown policy 'neural' (known: linear-gaussian)");
  EXPECT_EQ(unknown_name_message("policy", "neural", std::vector<std::string>{}), "unknown policy 'neural'");
}

}  // namespace
}  // namespace retropg::test
