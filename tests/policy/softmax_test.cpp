#include "retropg/policy/softmax.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "retropg/environment/environment.hpp"
#include "retropg/estimator/bpo.hpp"
#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/policy/sampler.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"
#include "support/softmax_chain.hpp"

namespace retropg::test {
namespace {

/// The action of one lane of a block.
double acted(const Policy& policy, Parameters theta, std::span<const double> observation, double uniform, Index lanes,
             Index lane, Acting acting = Acting::kSample) {
  std::vector<double> observations = random_numbers(policy.observation_size() * lanes, 1.0, 1);
  std::vector<double> row(as_size(lanes), 0.5), actions(as_size(lanes), -1.0), notes(as_size(lanes));
  for (std::size_t i = 0; i < observation.size(); ++i)
    observations[i * as_size(lanes) + as_size(lane)] = observation[i];
  row[as_size(lane)] = uniform;
  const double* noise = row.data();
  const auto actor = policy.actor(lanes, acting);
  EXPECT_EQ(actor->noise().kind, Noise::Kind::kUniform);
  EXPECT_EQ(actor->noise().count, acting == Acting::kSample ? 1 : 0);
  actor->act(theta, lanes, observations.data(), &noise, actions.data(), notes.data());
  return actions[as_size(lane)];
}

TEST(Softmax, ActionsDivideTheUnitIntervalByTheirProbabilities) {
  for (const SoftmaxCase& each : softmax_cases()) {
    const std::vector<double> theta = random_numbers(each.policy->parameter_count(), 0.5, 3);
    const std::array<double, 3> seen = {0.4, 5.0, -0.7};
    const std::vector<double> p = each.probabilities(theta, seen);
    for (const auto& [lanes, lane] : {std::pair<Index, Index>(4, 0), {8, 5}, {20, 19}}) {
      const auto act = [&](double uniform) { return acted(*each.policy, theta, seen, uniform, lanes, lane); };
      EXPECT_EQ(act(0.0), 0.0);
      EXPECT_EQ(act(p[0] - 1e-12), 0.0);
      EXPECT_EQ(act(p[0] + 1e-12), 1.0);
      EXPECT_EQ(act(p[0] + p[1] - 1e-12), 1.0);
      EXPECT_EQ(act(p[0] + p[1] + 1e-12), 2.0);
      EXPECT_EQ(act(std::nextafter(1.0, 0.0)), 2.0);
    }
  }
}

TEST(Softmax, MeanIsTheMostProbableActionAndTheFirstOfSeveral) {
  for (const SoftmaxCase& each : softmax_cases()) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const std::vector<double> theta = random_numbers(each.policy->parameter_count(), 1.0, seed),
                                seen = random_numbers(3, 1.0, 100 + seed);
      const std::vector<double> p = each.probabilities(theta, seen);
      const auto best = static_cast<double>(std::ranges::max_element(p) - p.begin());
      std::vector<double> mean(1);
      each.policy->mean(theta, seen, mean);
      EXPECT_EQ(mean[0], best);
      EXPECT_EQ(acted(*each.policy, theta, seen, 0.0, 8, 3, Acting::kMean), best);
    }
  }
  const auto policy = softmax_linear({.observation_size = 1, .action_count = 3});
  std::vector<double> mean(1);
  policy->mean(std::vector{0.0, 1.0, 1.0}, std::array{2.0}, mean);
  EXPECT_EQ(mean[0], 1.0);
}

TEST(Softmax, LinearStartsUniformAndTheNetworkAsXavierHasIt) {
  const SoftmaxOptions options{.observation_size = 4, .action_count = 3, .bias = true};
  EXPECT_EQ(softmax_linear(options)->initial_parameters(1), std::vector<double>(15, 0.0));
  const NetworkShape shape{.sizes = {4, 32, 32, 3}, .bias = true};
  EXPECT_EQ(bits(softmax_mlp(options)->initial_parameters(1)), bits(xavier_uniform(shape, 1)));
  EXPECT_EQ(softmax_linear({.observation_size = 4, .action_count = 3, .shift{0, 0, 0, 0}, .scale{1, 0, 1, 0}})
                ->parameter_count(),
            6)
      << "observations with scale 0 are left out";
}

TEST(Softmax, IsCollectedWithTheUniformsOfItsTrajectories) {
  const auto policy = softmax_linear({.observation_size = 4, .action_count = 2, .bias = true});
  const std::vector<double> theta = random_numbers(10, 0.5, 4);
  const Workers workers;
  std::vector<std::uint64_t> actions;
  for (const Index lanes : {4, 8, 32}) {
    Collector collector(pushed_cart_pole(), *policy, {.seed = 9, .lanes = lanes}, workers);
    const TrajectoryBatch batch = collector.collect_steps(theta, 2, 5, 50);
    if (actions.empty()) actions = bits(batch.actions);
    EXPECT_EQ(bits(batch.actions), actions);
    for (Index j = 0; j < 50; ++j) {
      Sampler sampler = policy->sample(theta, RandomStream({.seed = 9,
                                                            .purpose = Purpose::kActionNoise,
                                                            .iteration = 2,
                                                            .trajectory = static_cast<std::uint32_t>(5 + j)}));
      for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
        ASSERT_EQ(sampler.act(reference::observation(batch, t))[0], batch.actions[as_size(t)]);
      }
    }
  }
}

TEST(Softmax, HyperpoliciesActWithTheMostProbableAction) {
  for (const SoftmaxCase& each : softmax_cases()) {
    const Index lanes = 8;
    const auto means = each.policy->lane_means(lanes);
    std::vector<std::vector<double>> theta;
    for (Index l = 0; l < lanes; ++l) {
      theta.push_back(random_numbers(each.policy->parameter_count(), 1.0, as_size(30 + l)));
      means->set(l, theta.back());
    }
    means->move(7, 2);
    theta[2] = theta[7];
    const std::vector<double> observations = random_numbers(3 * lanes, 1.0, 8);
    std::vector<double> actions(as_size(lanes)), mean(1);
    means->act(lanes, observations.data(), actions.data());
    for (std::size_t l = 0; l < 7; ++l) {
      each.policy->mean(theta[l], std::array{observations[l], observations[8 + l], observations[16 + l]}, mean);
      EXPECT_EQ(actions[l], mean[0]);
    }
  }
}

TEST(Softmax, IsRefusedWhereMoreIsNeededThanItHas) {
  const auto policy = softmax_linear({.observation_size = 2, .action_count = 2});
  expect_throw([&] { bpo(*policy, {}); }, "does not support a spread of its actions, which bpo needs");
  expect_throw([] { softmax_linear({.observation_size = 2, .action_count = 0}); }, "a policy needs 1 to");
  expect_throw([] { softmax_linear({.observation_size = 1, .action_count = 2, .shift{0}, .scale{0}}); },
               "policy.scale leaves out every observation");
  expect_throw([] { softmax_mlp({.observation_size = 1, .action_count = 2, .bias = true, .shift{0}, .scale{0}}); },
               "so a network has no input");
  expect_throw([] { softmax_mlp({.observation_size = 1, .action_count = 2}, {0}); }, "policy.hidden must hold sizes");
}

}  // namespace
}  // namespace retropg::test
