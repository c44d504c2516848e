#include "retropg/experiment/resolve.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "retropg/core/error.hpp"
#include "support/files.hpp"

namespace retropg {
namespace {

const FlagValue kCartPole{.flag = "env =", .key = "env.id", .value = "CartPole"};

TEST(Resolve, GivenValuesOverrideThePreset) {
  const Configuration preset = resolve({.flags = {kCartPole}});
  const Configuration bare = resolve({.preset = PresetKind::kNone, .flags = {kCartPole}});
  ASSERT_NE(preset.train.budget, bare.train.budget);
  const Configuration given = resolve({.flags = {kCartPole, {"seed =", "train.seed", "7"}}});
  EXPECT_EQ(differing_keys(given, preset), std::vector<std::string>{"train.seed"});
  EXPECT_EQ(given.train.seed, 7U);
}

TEST(Resolve, LaterValuesOverrideEarlierOnes) {
  const Configuration configuration = resolve(
      {.flags = {kCartPole, {"seed =", "train.seed", "7"}, {"train.seed =", "train.seed", "8"}}, .settings = {}});
  EXPECT_EQ(configuration.train.seed, 8U);
  EXPECT_EQ(resolve({.flags = {{"seed =", "train.seed", "7"}}, .settings = {"train.seed=9"}}).train.seed, 9U);
}

TEST(Resolve, AGivenLengthTakesThePlaceOfThePresets) {
  ASSERT_GT(resolve({.flags = {kCartPole}}).train.budget, 0);
  const Configuration configuration = resolve({.flags = {kCartPole, {"iterations =", "train.iterations", "3"}}});
  EXPECT_EQ(configuration.train.budget, 0);
  EXPECT_EQ(configuration.train.iterations, 3);
}

TEST(Resolve, APresetLeavesItToTheBudgetHowManyEpisodesConfirm) {
  EXPECT_EQ(resolve({.flags = {kCartPole}}).train.confirm, kAutomatic);
  EXPECT_EQ(resolve({.flags = {kCartPole, {"--confirm", "train.confirm", "7"}}}).train.confirm, 7);
}

TEST(Resolve, AnArmTakesThePresetOfItsOwnPolicy) {
  const auto batch = [](std::vector<std::string> settings) {
    const std::vector<std::string> open = preset_of_arm({.flags = {kCartPole}}, {.label = "", .settings = settings});
    return *std::ranges::find_if(open, [](const std::string& setting) { return setting.starts_with("algo.batch="); });
  };
  EXPECT_EQ(batch({"algo.name=nes"}), "algo.batch=1");
  EXPECT_EQ(batch({"algo.name=nes", "policy.kind=mlp-gaussian"}), "algo.batch=2") << "it has many parameters";
}

/// However it is given.
TEST(Resolve, AVarianceTakesThePlaceOfAPresetsWidth) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "variance.toml";
  test::write_file(file, "[hyperpolicy]\nvariance = 4.0\n");
  const Configuration by_file = resolve({.preset = PresetKind::kOwn, .file = file.string(), .flags = {kCartPole}});
  EXPECT_FALSE(by_file.policy.width);
  EXPECT_EQ(by_file.hyperpolicy.variance, std::vector<double>{4.0});
  EXPECT_FALSE(resolve({.flags = {kCartPole}, .settings = {"hyperpolicy.variance=4"}}).policy.width);
  EXPECT_TRUE(resolve({.flags = {kCartPole}, .settings = {"policy.variance=4"}}).policy.width)
      << "what nes draws has another variance";
}

TEST(Resolve, ErrorsAndUnreadSettingsAreCalledAsTheUserCalledThem) {
  try {
    resolve({.flags = {{"batch =", "algo.batch", "\"x\""}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("batch = \"x\": algo.batch must be")) << error.what();
  }
  const std::vector<GivenSetting> given =
      given_settings({.flags = {{"window =", "algo.window", "4"}}, .settings = {"algo.batch=3"}});
  ASSERT_EQ(given.size(), 2U);
  EXPECT_EQ(given[0].text, "window = 4");
  EXPECT_EQ(given[1].text, "--set algo.batch=3");
  EXPECT_EQ(given[1].key, "algo.batch");
}

TEST(Resolve, KnowsThePresetsByName) {
  EXPECT_EQ(preset_kind_named("Paper"), PresetKind::kPaper);
  EXPECT_EQ(preset_kind_named("papers"), std::nullopt);
  EXPECT_EQ(preset_kind({}), PresetKind::kOwn);
  EXPECT_EQ(preset_kind({.file = "run.toml"}), PresetKind::kNone);
}

}  // namespace
}  // namespace retropg
