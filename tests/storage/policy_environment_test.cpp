#include <gtest/gtest.h>

#include "retropg/storage/output_folder.hpp"
#include "retropg/storage/safetensors.hpp"
#include "retropg/storage/trained_policy.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/policy_file.hpp"
#include "support/run_on_disk.hpp"

namespace retropg::test {
namespace {

using Settings = std::vector<std::string>;

std::filesystem::path file_of(const std::filesystem::path& run, const std::string& name) {
  return run / "policy" / (name + ".safetensors");
}

TEST(PolicyEnvironment, MakesAFileAndItsRunAgree) {
  const TemporaryFolder folder;
  int number = 0;
  for (const Settings& settings : std::vector<Settings>{
           {"env.horizon=30"},
           {"env.discount=0.9"},
           {"env.id=LQR", "env.horizon=7", "lqr.process_noise=0.3", "lqr.start_range=2"},
           {"env.id=LQR", "lqr.dynamics=[0.9]", "lqr.input=[0.5]", "lqr.state_cost=[2]", "lqr.action_cost=[0.1]"},
           {"env.id=Bandit", "bandit.target=3", "bandit.width=0.5"},
           {"algo.name=pgpe", "env.horizon=11"}}) {
    const std::filesystem::path run = folder / std::to_string(number++);
    Settings all = settings;
    all.insert(all.end(), {"train.iterations=3", "train.output=last"});
    write_run(run, all);
    const TrainedPolicy of_run = load_trained_policy(run), of_file = load_trained_policy(file_of(run, "final"));
    EXPECT_EQ(evaluate(of_run, {.episodes = 20}), evaluate(of_file, {.episodes = 20})) << settings.front();
    const EnvironmentDefinition a = make_environment(of_run.configuration), b = make_environment(of_file.configuration);
    EXPECT_EQ(a.horizon, b.horizon);
    EXPECT_EQ(a.discount, b.discount);
    EXPECT_EQ(of_run.configuration.lqr, of_file.configuration.lqr);
    EXPECT_EQ(of_run.configuration.bandit, of_file.configuration.bandit);
  }
}

TEST(PolicyEnvironment, IsTomlThatNamesOnlyWhatTheEnvironmentReads) {
  const TemporaryFolder folder;
  write_run(folder / "r", {"train.iterations=1", "bandit.target=3", "lqr.input=[2.0, 0.5]"});
  EXPECT_EQ(read_safetensors(file_of(folder / "r", "final")).metadata.at("environment_settings"),
            "env.horizon = 200\nenv.discount = 1.0\n");
  write_run(folder / "s", {"env.id=LQR", "train.iterations=1", "bandit.target=3", "lqr.input=[2.0, 0.5]"});
  EXPECT_EQ(read_safetensors(file_of(folder / "s", "final")).metadata.at("environment_settings"),
            "env.horizon = 20\nenv.discount = 1.0\nlqr.input = [2.0, 0.5]\n");
}

TEST(PolicyEnvironment, OfAFileOfAnEarlierVersionIsTheDefault) {
  const TemporaryFolder folder;
  write_run(folder / "r", {"train.iterations=1", "env.horizon=30"});
  Tensors tensors = read_safetensors(file_of(folder / "r", "final"));
  tensors.metadata.erase("environment_settings");
  write_safetensors(folder / "old", tensors);
  EXPECT_EQ(make_environment(load_trained_policy(folder / "old").configuration).horizon, 200);
}

TEST(PolicyEnvironment, IsRefusedIfItIsNone) {
  const TemporaryFolder folder;
  write_run(folder / "r", {"train.iterations=1"});
  const Tensors valid = read_safetensors(file_of(folder / "r", "final"));
  for (const auto& [text, problem] : std::vector<std::pair<std::string, std::string>>{
           {"env.horizon = 0", "environment_settings:1: env.horizon must be a whole number from 1"},
           {"env.horizn = 3", "environment_settings:1: unknown key 'env.horizn'"},
           {"train.seed = 3", "environment_settings: train.seed is no setting of an environment"},
           {"env.id = 'LQR'", "environment_settings: env.id is no setting of an environment"},
           {"[[[", "environment_settings:1: "}}) {
    expect_unreadable(
        valid, [&, value = text](Tensors& tensors) { tensors.metadata["environment_settings"] = value; }, problem);
  }
}

TEST(ChosenPolicy, IsOneOfTheRunOrAnyFile) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder / "r";
  write_run(run, {"train.iterations=12", "env.horizon=30"});
  EXPECT_EQ(load_trained_policy(run, "best").file, file_of(run, "best"));
  EXPECT_EQ(load_trained_policy(run, "final").file, file_of(run, "final"));
  EXPECT_EQ(load_trained_policy(run, "BEST").file, file_of(run, "best"));
  EXPECT_NE(load_trained_policy(run, "final").saved.parameters, load_trained_policy(run, "best").saved.parameters);
  write_run(folder / "other", {"train.iterations=2", "train.seed=3"});
  const std::filesystem::path file = file_of(folder / "other", "final");
  const TrainedPolicy trained = load_trained_policy(run, file.string());
  EXPECT_EQ(trained.file, file);
  EXPECT_EQ(make_environment(trained.configuration).horizon, 30) << "the run's";
}

TEST(ChosenPolicy, ThatIsNotThereIsRefusedWithTheNamesOfThoseThatAre) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder / "r";
  write_run(run, {"train.iterations=2"});
  expect_throw([&] { load_trained_policy(run, "bets"); },
               "--policy: unknown policy or file 'bets'; did you mean 'best'? (known: best, estimate, final)");
  expect_throw([&] { load_trained_policy(run, "last"); }, "unknown policy or file 'last'; did you mean 'final'?");
  expect_throw([&] { load_trained_policy(run, "random"); }, "(known: best, estimate, final)");
  expect_throw([&] { load_trained_policy(file_of(run, "best"), "final"); },
               "--policy is one of a run folder's; " + file_of(run, "best").string() + " is a file: leave it out");
  std::filesystem::remove_all(run / "policy");
  expect_throw([&] { load_trained_policy(run, "best"); }, "has no policy, and 'best' is no file");
}

}  // namespace
}  // namespace retropg::test
