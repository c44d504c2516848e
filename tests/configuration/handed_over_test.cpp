#include <gtest/gtest.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/experiment/comparison_request.hpp"
#include "retropg/experiment/study.hpp"
#include "retropg/storage/run_folder.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/point_mass.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

Configuration short_run() {
  return configured({"algo.name=rpg", "algo.batch=4", "algo.window=2", "train.iterations=3", "train.threads=1"});
}

EnvironmentDefinition point_mass_of(Index horizon) {
  EnvironmentDefinition environment = point_mass();
  environment.horizon = horizon;
  return environment;
}

TEST(HandedOver, AnEnvironmentIsTrainedOnWithoutBeingRegistered) {
  const std::size_t before = environments().size();
  const RunResult result = train(short_run(), point_mass_of(7));
  EXPECT_EQ(result.steps, 3 * 4 * 7);
  EXPECT_EQ(environments().size(), before);
}

TEST(HandedOver, TwoOfOneNameDoNotGetInEachOthersWay) {
  TrainingRun shorter(short_run(), point_mass_of(5)), longer(short_run(), point_mass_of(9));
  EXPECT_EQ(shorter.configuration().env.id, longer.configuration().env.id);
  EXPECT_EQ(longer.train().steps, 3 * 4 * 9);
  EXPECT_EQ(shorter.train().steps, 3 * 4 * 5);
}

TEST(HandedOver, ABuiltInOneGivesTheBitsThatItsNameGives) {
  Configuration configuration = short_run();
  configuration.env.id = "LQR";
  const EnvironmentDefinition environment = make_environment(configuration);
  EXPECT_EQ(bits(train(short_run(), environment).last), bits(train(configuration).last));
}

TEST(HandedOver, ItsNameSaysThatItIsNotTheRegistrys) {
  EnvironmentDefinition environment = point_mass();
  environment.id = "CartPole-v1";
  EXPECT_EQ(TrainingRun(short_run(), environment).configuration().env.id, "own:CartPole-v1");
  environment.id = "python:Crane";
  EXPECT_EQ(TrainingRun(short_run(), environment).environment().id, "python:Crane");
}

TEST(HandedOver, DiscreteActionsGetAPolicyForThem) {
  EnvironmentDefinition environment = point_mass();
  environment.action_size = 1;
  environment.action_count = 3;
  EXPECT_EQ(TrainingRun(short_run(), environment).configuration().policy.kind, "softmax-linear");
}

TEST(HandedOver, TheConfigurationsHorizonAndDiscountCount) {
  Configuration configuration = short_run();
  configuration.env.horizon = 3;
  configuration.env.discount = 0.5;
  const TrainingRun run(configuration, point_mass_of(9));
  EXPECT_EQ(run.environment().horizon, 3);
  EXPECT_EQ(run.environment().discount, 0.5);
}

TEST(HandedOver, ARunIsResumedWithTheEnvironmentOnly) {
  const TemporaryFolder folder;
  Configuration configuration = short_run();
  {
    TrainingRun run(configuration, point_mass_of(6));
    make_folder(folder / "run");
    RunFolder stored(folder / "run", run, "", {});
    const RunResult result = run.train([&](const IterationRecord& record) {
      stored.record(record);
      return record.iteration < 2;
    });
    stored.finish(result, "test");
  }
  expect_throw([&] { resume_run(folder / "run", {}, {}); }, "unknown environment 'own:");
  ResumedRun resumed = resume_run(folder / "run", {}, {}, point_mass_of(6));
  const RunResult result = resumed.run->train([&](const IterationRecord& record) {
    resumed.folder->record(record);
    return true;
  });
  resumed.folder->finish(result);
  EXPECT_EQ(bits(result.last), bits(train(configuration, point_mass_of(6)).last));
}

TEST(HandedOver, AComparisonRunsOnIt) {
  Given given{.preset = PresetKind::kNone, .environment = HandedOver{.id = "own:point", .discrete = false}};
  ComparisonPlan plan = comparison_plan(given, {.algos = "rpg,gpomdp", .seeds = 2, .budget = 20});
  plan.environment = point_mass_of(4);
  const Study study = run_study(prepare_study(std::span(&plan, 1), {}, 0));
  EXPECT_EQ(study.steps, 2 * 2 * 20 * 4);
  given.flags.push_back({.flag = "--env", .key = "env.id", .value = "LQR"});
  expect_throw([&] { resolve(given); }, "--env LQR: the environment is handed over: leave env.id out");
}

TEST(EnvironmentsFromPython, AreNamedAsSuch) {
  const Configuration configuration = configured({"env.id=gymnasium:Pendulum-v1"});
  expect_throw([&] { make_environment(configuration); }, "environment 'gymnasium:Pendulum-v1' comes from Python");
  expect_throw([&] { train(configuration); }, "environment 'gymnasium:Pendulum-v1' comes from Python");
  EXPECT_TRUE(comes_from_python("python:MyPlant"));
  EXPECT_FALSE(comes_from_python("own:MyPlant"));
  EXPECT_FALSE(comes_from_python("CartPole-v1"));
}

TEST(Registry, RefusesTheNamesOfWhatIsHandedOver) {
  for (const char* name : {"own:Crane", "plant"}) {
    expect_throw(
        [&] {
          register_environment({{name, {}, "a test"}, [](const Configuration&) { return point_mass(); }});
        },
        "cannot be registered under this name");
  }
}

}  // namespace
}  // namespace retropg::test
