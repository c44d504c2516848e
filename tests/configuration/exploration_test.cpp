// policy.exploration: where randomness enters is a setting, and some algorithms have a name of their own for the pair.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "retropg/experiment/arm_plan.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/output_folder.hpp"
#include "retropg/storage/run_folder.hpp"
#include "retropg/storage/trained_policy.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/run_records.hpp"

namespace retropg::test {
namespace {

TEST(Exploration, OfParametersHasNamesOfItsOwn) {
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"rpg", "pb-rpg"},    {"gpomdp", "pgpe"}, {"reinforce", "pgpe"}, {"pgt", "pgpe"},
      {"miw-pg", "pb-miw"}, {"bh-pg", "pb-bh"}, {"pois", "p-pois"}};
  for (const auto& [name, paired] : pairs) {
    for (const std::string learned : {"hyperpolicy.learn_deviation=false", "hyperpolicy.learn_deviation=true"}) {
      const auto expected = records({"algo.name=" + paired, learned});
      EXPECT_EQ(records({"algo.name=" + name, "policy.exploration=parameters", learned}), expected) << name;
      EXPECT_EQ(records({"algo.name=" + paired, "policy.exploration=parameters", learned}), expected) << paired;
      EXPECT_NE(records({"algo.name=" + name, learned}), expected) << name << " draws actions unless told otherwise";
    }
  }
}

TEST(Exploration, OfActionsIsTheDefaultOfTheOthers) {
  for (const std::string name : {"rpg", "rpg-theory", "miw-pg", "bh-pg", "gpomdp", "reinforce", "pgt", "pois", "svrpg",
                                 "srvrpg", "storm-pg", "page-pg", "def-pg", "bpo", "rnpg"}) {
    EXPECT_EQ(records({"algo.name=" + name, "policy.exploration=actions"}), records({"algo.name=" + name})) << name;
  }
  EXPECT_NO_THROW(records({"algo.name=rpg-theory", "policy.exploration=parameters"}));
}

TEST(Exploration, IsRefusedWhereAnAlgorithmRunsWithTheOtherOneOnly) {
  for (const std::string name : {"pgpe", "pb-rpg", "pb-miw", "pb-bh", "p-pois", "nes"}) {
    expect_throw(
        [&] {
          make_trainer(configured({"algo.name=" + name, "policy.exploration=actions"}));
        },
        name + " explores in parameters: leave policy.exploration unset");
  }
  for (const std::string name : {"svrpg", "srvrpg", "storm-pg", "page-pg", "def-pg", "bpo", "rnpg"}) {
    expect_throw(
        [&] {
          make_trainer(configured({"algo.name=" + name, "policy.exploration=parameters"}));
        },
        name + " explores in actions: leave policy.exploration unset");
  }
  expect_throw([] { configured({"policy.exploration=parameter"}); }, "did you mean \"parameters\"?");
}

TEST(Exploration, LeavesTheNameThatWasGiven) {
  const TemporaryFolder folder;
  const Configuration configuration =
      configured({"algo.name=gpomdp", "policy.exploration=parameters", "train.iterations=2"});
  EXPECT_EQ(canonical(configuration), canonical(configured({"algo.name=gpomdp", "policy.exploration=parameters",
                                                            "train.iterations=2", "env.id=CartPole"})));
  EXPECT_EQ(run_name(configuration), "CartPoleContinuous-v0__gpomdp__1");

  TrainingRun run(configuration);
  make_output_folder(folder / "r");
  RunFolder run_folder(folder / "r", run, "x", {});
  const RunResult result = run.train();
  run_folder.finish(result);
  const Configuration written = load_configuration(folder / "r/config.toml");
  EXPECT_EQ(written.algo.name, "gpomdp");
  EXPECT_EQ(written.policy.exploration, "parameters");

  const std::vector<ArmPlan> plans = parse_arm_list("rpg:policy.exploration=parameters,pb-rpg,rpg");
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_EQ(plans[0].label, "rpg:policy.exploration=parameters");
  EXPECT_EQ(plans[1].label, "pb-rpg");
}

TEST(Exploration, IsInThePolicyFile) {
  const TemporaryFolder folder;
  TrainingRun run(configured({"algo.name=miw-pg", "policy.exploration=parameters", "hyperpolicy.variance=0.04",
                              "hyperpolicy.learn_deviation=true", "train.iterations=3"}));
  make_output_folder(folder / "r");
  RunFolder run_folder(folder / "r", run, "x", {});
  run_folder.finish(run.train());
  const TrainedPolicy of_run = load_trained_policy(folder / "r");
  const TrainedPolicy alone = load_trained_policy(folder / "r/policy/estimate.safetensors");
  EXPECT_EQ(of_run.configuration.algo.name, "miw-pg");
  EXPECT_EQ(alone.configuration.algo.name, Configuration{}.algo.name) << "a policy file knows of no algorithm";
  for (const TrainedPolicy& trained : {of_run, alone}) {
    EXPECT_EQ(trained.saved.exploration, Exploration::kParameters);
    EXPECT_EQ(exploration_of(trained.configuration), Exploration::kParameters);
    EXPECT_EQ(trained.saved.parameters.size(), 8U);
  }
  for (const bool deterministic : {false, true}) {
    const EvaluationOptions options{.episodes = 20, .seed = 3, .deterministic = deterministic};
    EXPECT_EQ(bits(evaluate(alone, options)), bits(evaluate(of_run, options)));
  }
  EXPECT_NE(evaluate(alone, {.episodes = 20}), evaluate(alone, {.episodes = 20, .deterministic = true}));
}

}  // namespace
}  // namespace retropg::test
