#include <gtest/gtest.h>

#include <limits>

#include "retropg/configuration/preset.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/environment/linear_quadratic.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/bits.hpp"
#include "support/configuration_text.hpp"

namespace retropg::test {
namespace {

Configuration plant_configuration(std::string_view id) {
  Configuration configuration;
  configuration.env.id = id;
  configuration.policy.kind = "linear-gaussian";
  configuration.algo.batch = 6;
  configuration.algo.window = 3;
  configuration.train.iterations = 5;
  configuration.train.threads = 1;
  return configuration;
}

// The definition is all that a trainer knows of an environment.
TEST(Plant, IsTrainedLikeARegisteredEnvironmentOnTheSameTrajectories) {
  TrainingRun run(plant_configuration("LQR"));
  Trainer trainer = make_trainer(plant_configuration(kPlant), run.environment());
  Collector collector(run.environment(), trainer.policy(), collector_options(run.configuration(), trainer),
                      trainer.workers());
  const RunResult trained = retropg::run(trainer, collector);
  EXPECT_EQ(bits(trained.last), bits(run.train().last));
}

TEST(Plant, MayHaveDiscreteActionsIfThePolicyDoes) {
  EnvironmentDefinition plant = linear_quadratic({});
  plant.action_count = 3;
  Configuration configuration = plant_configuration(kPlant);
  EXPECT_NE(error_of([&] { make_trainer(configuration, plant); }).find("discrete"), std::string::npos);
  configuration.policy.kind = "softmax";
  EXPECT_EQ(make_trainer(configuration, plant).policy().parameter_count(), 3 * plant.observation_size);
}

TEST(Plant, IsCheckedLikeAnEnvironmentButNeedsNoSimulator) {
  EnvironmentDefinition plant = linear_quadratic({});
  plant.make = {};
  EXPECT_NO_THROW(make_trainer(plant_configuration(kPlant), plant));
  plant.discount = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of([&] { make_trainer(plant_configuration(kPlant), plant); }).find("needs a discount from 0 to 1"),
            std::string::npos);
}

TEST(Plant, HasAHorizonAndADiscountButNoOtherSettings) {
  const Configuration configuration = plant_configuration(kPlant);
  for (const char* key : {"env.horizon", "env.discount", "algo.window"}) EXPECT_TRUE(reads(configuration, key)) << key;
  for (const char* key : {"env.clip", "lqr.input", "bandit.width"}) EXPECT_FALSE(reads(configuration, key)) << key;
  EnvironmentDefinition plant = linear_quadratic({});
  Configuration shorter = configuration;
  shorter.env.horizon = 2;
  Trainer trainer = make_trainer(shorter, plant);
  trainer.ask();
  TrajectoryBatch three{.observation_size = plant.observation_size, .action_size = plant.action_size};
  const std::vector<double> observation(as_size(plant.observation_size)), action(as_size(plant.action_size));
  for (int t = 0; t < 3; ++t) three.add(observation, action, 0.0);
  three.close();
  EXPECT_EQ(error_of([&] { trainer.tell(three); }), "trajectory 0 has 3 steps; expected 1 to 2");
}

TEST(Plant, TakesThePresetOfEveryEnvironment) {
  EXPECT_EQ(find_preset(PresetKind::kOwn, std::string(kPlant), "rpg").settings,
            find_preset(PresetKind::kOwn, "Bandit", "rpg").settings);
  EXPECT_NE(error_of([] { train(plant_configuration(kPlant)); }).find("unknown environment 'plant'"),
            std::string::npos);
}

}  // namespace
}  // namespace retropg::test
