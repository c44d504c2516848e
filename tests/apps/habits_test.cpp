#include "habits.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace retropg::test {
namespace {

using app::written_here;

TEST(Habits, AreTranslatedToTheFlagsOfTheCommand) {
  const std::vector<std::string> train = {"--set", "--steps", "--seed", "--budget"};
  EXPECT_EQ(written_here("--lr", train), "--set optimizer.rate=VALUE, or nes.gain=VALUE for nes");
  EXPECT_EQ(written_here("--total_timesteps", train), "--steps COUNT");
  EXPECT_EQ(written_here("--seeds", train), "--seed NUMBER, of one run; `retropg compare` has --seeds");
  const std::vector<std::string> compare = {"--set", "--budget"};
  EXPECT_EQ(written_here("--timesteps", compare), "--budget COUNT, in trajectories");
  const std::vector<std::string> reproduce = {"--runs", "--seed"};
  EXPECT_EQ(written_here("--seeds", reproduce), "--runs COUNT");
}

TEST(Habits, AreLeftAloneWhereTheCommandHasNoSuchFlag) {
  const std::vector<std::string> eval = {"--episodes"};
  EXPECT_EQ(written_here("--lr", eval), std::nullopt);
  EXPECT_EQ(written_here("--frobnicate", eval), std::nullopt);
}

}  // namespace
}  // namespace retropg::test
