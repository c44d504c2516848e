#include "retropg/configuration/preset.hpp"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <set>

#include "retropg/configuration/preset_files.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

bool in_this_build(const EnvironmentEntry& entry) {
  return !entry.description.starts_with("not in this build");
}

TEST(Presets, SuitEveryAlgorithmOnEveryEnvironment) {
  Index made = 0;
  for (const EnvironmentEntry& environment : environments()) {
    if (!in_this_build(environment) || environment.name.starts_with("Test")) continue;
    for (const AlgorithmEntry& algorithm : algorithms()) {
      SCOPED_TRACE(algorithm.name + " on " + environment.name);
      const Configuration configuration = preset_configuration(environment.name, algorithm.name);
      EXPECT_EQ(configuration.env.id, environment.name);
      EXPECT_EQ(configuration.algo.name, algorithm.name);
      EXPECT_GT(configuration.train.budget, 0) << "a preset ends by itself";
      EXPECT_TRUE(!reads(configuration, "optimizer.trust") || configuration.optimizer.trust > 0.0);
      try {
        TrainingRun run(configuration);
        ++made;
      } catch (const Error&) {  // the bandit has no use for some methods, and bpo needs a spread of the actions
        EXPECT_TRUE(environment.name == "GaussianBandit-v0" || (environment.discrete && algorithm.name == "bpo"));
      }
    }
  }
  EXPECT_GT(made, 0);
}

TEST(Presets, OfNesTakeOneDrawPerIterationWhereALinearPolicyIsSmall) {
  EXPECT_EQ(preset_configuration("CartPole", "nes").algo.batch, 1);
  EXPECT_EQ(preset_configuration("CartPole", "nes").nes.gain, 2.0);
  EXPECT_EQ(preset_configuration("CartPole", "nes", PresetKind::kOwn, "mlp-gaussian").algo.batch, 2);
  EXPECT_EQ(preset_configuration("CartPole", "nes", PresetKind::kOwn, "linear-gaussian").algo.batch, 1);
  EXPECT_EQ(preset_configuration("CartPole", "pgpe").nes.gain, Configuration{}.nes.gain);
  EXPECT_EQ(preset_configuration("Swimmer", "nes").algo.batch, 2) << "16 parameters";
}

TEST(Presets, OfThePaperAreForItsTasks) {
  for (const std::string& environment : environments_of_the_paper()) {
    const Configuration configuration = preset_configuration(environment, "", PresetKind::kPaper);
    EXPECT_EQ(configuration.algo.name, "rpg");
    EXPECT_EQ(configuration.optimizer.trust, 0.0);
    EXPECT_EQ(configuration.policy.scaling, "none");
  }
  expect_throw([] { find_preset(PresetKind::kPaper, "LQR"); },
               "the paper has no settings for LinearQuadratic-v0; it has them for CartPoleContinuous-v0");
}

TEST(Presets, WithoutOneEverythingIsAsItWas) {
  EXPECT_EQ(preset_configuration("CartPole", "", PresetKind::kNone), canonical(Configuration{}));
  EXPECT_TRUE(find_preset(PresetKind::kNone, "Swimmer", "gpomdp").settings.empty());
}

TEST(Presets, TakeNamesInAnySpelling) {
  EXPECT_EQ(find_preset(PresetKind::kOwn, "cartpole", "RT-PG").algorithm, "rpg");
  expect_throw([] { find_preset(PresetKind::kOwn, "CartPool"); }, "CartPole");
}

TEST(Presets, ALaterTableOverridesAnEarlierOne) {
  // any.toml clips; Cart Pole, whose own file comes later, does not need it.
  EXPECT_TRUE(preset_configuration("LQR").env.clip);
  EXPECT_FALSE(preset_configuration("CartPole").env.clip);
  std::set<std::string> keys;
  for (const std::string& setting : find_preset(PresetKind::kOwn, "CartPole", "rpg").settings) {
    EXPECT_TRUE(keys.insert(setting.substr(0, setting.find('='))).second) << setting << " is there twice";
  }
}

TEST(Presets, TheSourceSpeaksOfWhatTheAlgorithmTakes) {
  const std::string others = find_preset(PresetKind::kOwn, "Bandit", "rpg").source;
  EXPECT_NE(find_preset(PresetKind::kOwn, "CartPole", "rpg").source, others);
  EXPECT_EQ(find_preset(PresetKind::kOwn, "CartPole", "nes").source, others) << "Cart Pole's file is about actions";
}

void expect_known_tables(const toml::table& tables, std::set<std::string> known) {
  for (const AlgorithmEntry& algorithm : algorithms()) known.insert(algorithm.name);
  for (const auto& [key, value] : tables) EXPECT_TRUE(known.contains(std::string(key.str()))) << key.str();
}

TEST(Presets, FilesHoldNothingThatNobodyReads) {
  std::set<std::string> names = {"any"};
  for (const EnvironmentEntry& environment : environments()) names.insert(environment.name);
  for (const auto& [name, text] : preset_files()) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(names.contains(name));
    const toml::table file = toml::parse(text);
    expect_known_tables(file, {"source", "algorithm", "all", "actions", "parameters", "paper"});
    if (const toml::table* paper = file["paper"].as_table()) {
      expect_known_tables(*paper, {"source", "all", "actions", "parameters"});
    }
  }
}

}  // namespace
}  // namespace retropg::test
