#include "retropg/storage/trained_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "retropg/rollout/collector.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/safetensors.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/random_batch.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

const std::vector<double> kBalancing{1.0, 2.0, 20.0, 4.0};  // keeps the pole up most of the time

Configuration cart_pole_network() {
  return configured({"policy.kind=mlp-gaussian", "policy.hidden=[8]"});
}

/// A folder as `retropg train` leaves it, as far as an evaluation looks.
std::filesystem::path write_run(const TemporaryFolder& folder, const Configuration& configuration,
                                const std::vector<double>& theta) {
  const std::filesystem::path run = folder / "run";
  std::filesystem::create_directories(run / "policy");
  write_file(run / "config.toml", to_toml(canonical(configuration)));
  save_policy(run / "policy" / "estimate.safetensors",
              saved_policy(configuration, make_environment(configuration), theta));
  return run;
}

std::filesystem::path write_policy(const TemporaryFolder& folder, const Configuration& configuration,
                                   const std::vector<double>& theta) {
  save_policy(folder / "p.safetensors", saved_policy(configuration, make_environment(configuration), theta));
  return folder / "p.safetensors";
}

std::vector<double> initial(const Configuration& configuration) {
  return make_policy(configuration, make_environment(configuration))->initial_parameters(1);
}

TEST(LoadSubject, TakesAPolicyFileWithTheEnvironmentItWasTrainedOn) {
  const TemporaryFolder folder;
  Configuration configuration = cart_pole_network();
  const std::vector<double> theta = initial(configuration);
  configuration.env.horizon = 7;
  const TrainedPolicy trained = load_trained_policy(write_policy(folder, configuration, theta));
  EXPECT_EQ(trained.file, folder / "p.safetensors");
  EXPECT_EQ(trained.configuration.env.id, "CartPoleContinuous-v0");
  EXPECT_EQ(make_environment(trained.configuration).horizon, 7);
  EXPECT_EQ(trained.configuration.policy.kind, "mlp-gaussian");
  EXPECT_EQ(trained.configuration.policy.hidden, std::vector<Index>{8});
  EXPECT_EQ(bits(trained.saved.parameters), bits(theta));
}

TEST(LoadSubject, TakesThePolicyThatARunReturnsWithTheRunsSettings) {
  const TemporaryFolder folder;
  const Configuration configuration = configured({"env.horizon=30", "env.discount=0.9", "policy.variance=0.01"});
  const std::filesystem::path run = write_run(folder, configuration, kBalancing);
  save_policy(run / "policy" / "final.safetensors",
              saved_policy(configuration, cart_pole(), std::vector<double>(4, 0.0)));
  const TrainedPolicy trained = load_trained_policy(run);
  EXPECT_EQ(trained.file, run / "policy" / "estimate.safetensors");
  EXPECT_EQ(trained.saved.parameters, kBalancing);
  EXPECT_EQ(make_environment(trained.configuration).horizon, 30);
  EXPECT_EQ(trained.configuration.policy.variance, std::vector<double>{0.01});
  const double best = (1.0 - std::pow(0.9, 30)) / (1.0 - 0.9);  // 30 steps of reward 1, discounted
  const std::vector<double> returns = evaluate(trained, {.episodes = 20});
  EXPECT_NEAR(*std::ranges::max_element(returns), best, 1e-12 * best);
}

TEST(LoadSubject, KeepsTheSettingsOfTheRunsEnvironment) {
  const TemporaryFolder folder;
  const Configuration configuration = configured({"env.id=Bandit", "bandit.target=3", "policy.variance=0.5"});
  const TrainedPolicy trained = load_trained_policy(write_run(folder, configuration, {3.0}));
  EXPECT_EQ(evaluate(trained, {.episodes = 2, .deterministic = true}), (std::vector<double>{1.0, 1.0}))
      << "the mean hits the run's own target";
}

TEST(Evaluate, DrawsTheParametersOfAHyperpolicyOnceAnEpisode) {
  const TemporaryFolder folder;
  const Configuration configuration =
      configured({"algo.name=pgpe", "hyperpolicy.variance=0.25", "hyperpolicy.learn_deviation=true"});
  std::vector<double> xi = kBalancing;
  xi.resize(8, std::log(3.0));
  const std::filesystem::path run = write_run(folder, configuration, xi);
  const std::filesystem::path file = run / "policy" / "estimate.safetensors";

  const auto policy = make_policy(configuration, cart_pole());
  const Workers workers;
  for (const bool deterministic : {false, true}) {
    Collector collector(cart_pole(), *policy, {.seed = 9, .deterministic = deterministic}, workers);
    const std::vector<double> expected = collector.collect(xi, 0, 0, 30).returns;
    for (const std::filesystem::path& path : {run, file}) {
      EXPECT_EQ(evaluate(load_trained_policy(path), {.episodes = 30, .seed = 9, .deterministic = deterministic}),
                expected);
    }
  }
}

TEST(LoadSubject, TakesARunOfAnEarlierVersion) {
  // Its keys have their old names, some were not there yet, and its policy file says nothing of exploration.
  const TemporaryFolder folder;
  const Configuration configuration = configured({"algo.name=storm-pg", "env.horizon=30", "algo.forgetting=0.5",
                                                  "pois.centered=true", "pois.self_normalized=false"});
  const std::filesystem::path run = write_run(folder, configuration, kBalancing);
  const std::filesystem::path file = run / "policy" / "estimate.safetensors";
  const std::vector<double> expected = evaluate(load_trained_policy(run), {.episodes = 10});
  Tensors tensors = read_safetensors(file);
  EXPECT_EQ(tensors.metadata.at("exploration"), "actions");
  tensors.metadata.erase("exploration");
  write_safetensors(file, tensors);
  std::string text = to_toml(configuration);
  text.resize(text.find("\n[checkpoint]"));
  text.erase(text.find("broken ="), std::string("broken = \"stop\"\n").size());
  for (const auto& [now, old_key] : {std::pair<std::string, std::string>{"forgetting", "algo.momentum"},
                                     {"centered", "pois.centred"},
                                     {"self_normalized", "pois.self_normalised"}}) {
    text.replace(text.find("\n" + now + " =") + 1, now.size(), old_key.substr(old_key.find('.') + 1));
  }
  write_file(run / "config.toml", text);
  const TrainedPolicy trained = load_trained_policy(run);
  EXPECT_EQ(trained.configuration.algo.forgetting, 0.5);
  EXPECT_EQ(trained.configuration.pois.centered, true);
  EXPECT_EQ(trained.configuration.pois.self_normalized, false);
  EXPECT_EQ(trained.saved.exploration, Exploration::kActions);
  EXPECT_EQ(evaluate(trained, {.episodes = 10}), expected);
  expect_throw([&] { load_configuration(run / "config.toml"); }, "key 'algo.momentum' is now called 'algo.forgetting'");
}

TEST(LoadSubject, RefusesAPolicyThatExploresOtherwiseThanItsRun) {
  const TemporaryFolder folder;
  const std::filesystem::path run = write_run(folder, configured({"algo.name=pgpe"}), kBalancing);
  save_policy(run / "policy" / "estimate.safetensors", saved_policy({}, cart_pole(), kBalancing));
  expect_throw([&] { load_trained_policy(run); },
               "estimate.safetensors: was trained with exploration in actions, but the run's "
               "pgpe explores in parameters");
}

TEST(LoadSubject, RefusesWhatIsNoPolicyInOneLineThatNamesIt) {
  const TemporaryFolder folder;
  const auto refuse = [](const std::filesystem::path& path, const std::filesystem::path& named,
                         const std::string& problem) {
    expect_throw([&] { load_trained_policy(path); }, named.string() + ": ");
    expect_throw([&] { load_trained_policy(path); }, problem);
  };
  refuse(folder / "missing", folder / "missing", "does not exist");
  refuse(folder.path(), folder.path(), "is not a run folder");
  write_file(folder / "garbage", "all work and no play");
  refuse(folder / "garbage", folder / "garbage", "is not a safetensors file");
  write_file(folder / "empty", "");
  refuse(folder / "empty", folder / "empty", "is not a safetensors file");

  const std::filesystem::path run = write_run(folder, configured({}), kBalancing);
  std::filesystem::remove(run / "policy" / "estimate.safetensors");
  const std::filesystem::path file = run / "policy" / "estimate.safetensors";
  refuse(run, file, "says what can be recovered; there is no other policy");
  save_policy(run / "policy" / "final.safetensors", saved_policy({}, cart_pole(), kBalancing));
  refuse(run, file, "--policy final evaluates one that is there");
  write_file(run / "status", "running\n");
  refuse(run, file, "is missing; the run was killed; `retropg resume " + run.string() + "` finishes it");
  const FolderLock lock(run);
  refuse(run, file, "is missing; the run is under way");
}

TEST(LoadSubject, RefusesAPolicyOfAnotherShapeVersionOrEnvironment) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "p.safetensors";
  const Configuration configuration = cart_pole_network();
  const std::vector<double> theta = initial(configuration);
  const auto refuse = [&](const std::function<void(Tensors&)>& change, const std::string& problem) {
    SCOPED_TRACE(problem);
    write_policy(folder, configuration, theta);
    Tensors tensors = read_safetensors(path);
    change(tensors);
    write_safetensors(path, tensors);
    expect_throw([&] { load_trained_policy(path); }, path.string() + ": ");
    expect_throw([&] { load_trained_policy(path); }, problem);
  };
  refuse([](Tensors& t) { t.metadata["format"] = "retropg-policy-2"; }, "unknown format 'retropg-policy-2'");
  refuse([](Tensors& t) { t.metadata["environment"] = "LinearQuadratic-v0"; }, "LinearQuadratic-v0");
  refuse([](Tensors& t) { t.metadata["environment"] = "CartPoleContinuos-v0"; }, "CartPoleContinuos-v0");
  refuse([](Tensors& t) { t.metadata["kind"] = "mlp-gausian"; }, "mlp-gausian");
  refuse(
      [](Tensors& t) {
        t.metadata["observation_size"] = "5";
        t.values["parameters"].resize(48, 0.0);  // fits in itself
      },
      "has 5 observations and 1 actions; CartPoleContinuous-v0 has 4 and 1");
  refuse([](Tensors& t) { t.metadata["observation_size"] = "5"; }, "'parameters' has 40");
  refuse([](Tensors& t) { t.values["parameters"].pop_back(); }, "parameters");
  refuse([](Tensors& t) { t.values["hidden"] = {8.0, 8.0}; }, "parameters");
  refuse([](Tensors& t) { t.values["variance"] = {-0.3}; }, "variance");
  refuse([](Tensors& t) { t.values["shift"] = {1.0}; }, "shift");
}

TEST(LoadSubject, RefusesAPolicyThatIsNotTheRuns) {
  const TemporaryFolder folder;
  const std::filesystem::path run = write_run(folder, configured({"env.id=Bandit"}), {3.0});
  save_policy(run / "policy" / "estimate.safetensors", saved_policy({}, cart_pole(), kBalancing));
  expect_throw([&] { load_trained_policy(run); },
               "estimate.safetensors: was trained on CartPoleContinuous-v0, but the run is on "
               "GaussianBandit-v0");
}

TEST(LoadSubject, NamesTheLineOfABrokenConfiguration) {
  const TemporaryFolder folder;
  const std::filesystem::path run = write_run(folder, configured({}), kBalancing);
  write_file(run / "config.toml", "[env]\nid = 'CartPole'\nhorizn = 3\n");
  expect_throw([&] { load_trained_policy(run); }, "config.toml:3: unknown key 'env.horizn'");
}

TEST(Evaluate, ReturnsAreThoseOfTheNamedTrajectories) {
  const TemporaryFolder folder;
  const Configuration configuration = cart_pole_network();
  const std::vector<double> theta = initial(configuration);
  const TrainedPolicy trained = load_trained_policy(write_policy(folder, configuration, theta));
  const std::vector<double> returns = evaluate(trained, {.episodes = 30, .seed = 7});
  ASSERT_EQ(returns.size(), 30u);
  const auto policy = make_policy(configuration, cart_pole());
  const Workers workers;
  Collector collector(cart_pole(), *policy, {.seed = 7}, workers);
  const TrajectoryBatch steps = collector.collect_steps(theta, 0, 0, 30);
  for (Index j = 0; j < 30; ++j) {  // Cart Pole pays 1 a step
    EXPECT_EQ(returns[as_size(j)], static_cast<double>(steps.length(j)));
  }
  EXPECT_NE(returns, collector.collect(theta, 1, 0, 30).returns) << "a training's first batch is another one";
  EXPECT_GT(std::set<double>(returns.begin(), returns.end()).size(), 5u);
}

TEST(Evaluate, MoreEpisodesBeginWithTheSameOnes) {
  const TemporaryFolder folder;
  const Configuration configuration = cart_pole_network();
  const TrainedPolicy trained = load_trained_policy(write_policy(folder, configuration, initial(configuration)));
  const std::vector<double> few = evaluate(trained, {.episodes = 10}), many = evaluate(trained, {.episodes = 75});
  EXPECT_EQ(few, std::vector<double>(many.begin(), many.begin() + 10));
  EXPECT_NE(few, evaluate(trained, {.episodes = 10, .seed = 2}));
}

TEST(Evaluate, WithTheMeanEveryActionIsTheMean) {
  for (const Configuration& configuration :
       {cart_pole_network(), configured({}), configured({"policy.evidence=steps", "policy.bias=true"})}) {
    const auto policy = make_policy(configuration, cart_pole());
    std::vector<double> theta = policy->initial_parameters(1);
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += 0.1 * static_cast<double>(i % 4);
    const Workers workers;
    Collector collector(cart_pole(), *policy, {.deterministic = true}, workers);
    const TrajectoryBatch batch = collector.collect_steps(theta, 0, 0, 9);
    std::vector<double> mean(1);
    for (Index t = 0; t < batch.steps(); ++t) {
      policy->mean(theta, reference::observation(batch, t), mean);
      // A linear policy sums in another order for one observation than for a block of them.
      EXPECT_NEAR(reference::action(batch, t)[0], mean[0], 1e-14 * std::max(1.0, std::abs(mean[0])));
    }
  }
}

TEST(Evaluate, WithTheMeanTheBanditPaysItsRewardThere) {
  const TemporaryFolder folder;
  const Configuration configuration = configured({"env.id=Bandit", "policy.kind=mlp-gaussian", "policy.hidden=[2]",
                                                  "policy.activation=identity", "policy.variance=4"});
  // two hidden units: the mean is 0.5 * 3 - 0.25 * 2 = 1; target 1 and width 1 by default, so 1.5 is half a width away
  for (const auto& [theta, distance] :
       {std::pair{std::vector{0.5, -0.25, 3.0, 2.0}, 0.0}, {std::vector{1.0, -0.25, 2.0, 2.0}, 0.5}}) {
    const TrainedPolicy trained = load_trained_policy(write_policy(folder, configuration, theta));
    for (const double value : evaluate(trained, {.episodes = 5, .deterministic = true})) {
      EXPECT_NEAR(value, std::exp(-0.5 * distance * distance), 1e-15);
    }
    const std::vector<double> sampled = evaluate(trained, {.episodes = 5});
    EXPECT_EQ(std::set<double>(sampled.begin(), sampled.end()).size(), 5u) << "actions are sampled by default";
  }
}

}  // namespace
}  // namespace retropg::test
