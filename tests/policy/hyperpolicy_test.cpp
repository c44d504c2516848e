#include "retropg/policy/hyperpolicy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/bits.hpp"
#include "support/drift_environment.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/hyper_batch.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

std::shared_ptr<const Policy> linear() {
  return linear_gaussian(
      {.observation_size = 2, .action_size = 2, .bias = true, .shift = {0.1, -0.2}, .scale = {2.0, 0.5}});
}

std::shared_ptr<const Policy> network() {
  return mlp_gaussian({.observation_size = 2, .action_size = 2, .hidden = {5}, .bias = true});
}

TEST(Hyperpolicy, StartsWhereItsPolicyDoes) {
  const auto inner = network();
  const Index d = inner->parameter_count();
  const std::vector<double> start = inner->initial_parameters(3);
  EXPECT_EQ(hyperpolicy(inner, {})->initial_parameters(3), start);
  const auto learned = hyperpolicy(inner, {.variance = {0.49}, .learn_deviation = true});
  EXPECT_EQ(learned->parameter_count(), 2 * d);
  const std::vector<double> xi = learned->initial_parameters(3);
  for (std::size_t i = 0; i < as_size(d); ++i) {
    EXPECT_EQ(xi[i], start[i]);
    EXPECT_NEAR(xi[as_size(d) + i], std::log(0.7), 1e-15);
  }
}

TEST(Hyperpolicy, DrawsEachParameterWithItsOwnDeviation) {
  const std::vector<double> mean = random_numbers(3, 1.0, 1), variance = {0.04, 1.0, 9.0};
  for (const bool learned : {false, true}) {
    const auto policy = hyperpolicy(linear_inner(3), {.variance = variance, .learn_deviation = learned});
    std::vector<double> xi = mean;
    if (learned) {
      for (const double v : variance) xi.push_back(0.5 * std::log(v));
    }
    const auto actor = policy->actor(kChunk, Acting::kSample);
    const StreamName name{.seed = 5, .purpose = Purpose::kSampledParameters, .iteration = 2, .trajectory = 3};
    RandomStream random(name), same(name);
    for (const double spread : {1.0, 1.7}) {
      const std::span<const double> theta = actor->parameter_sampler()->start(xi, spread, 0, random);
      ASSERT_EQ(theta.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(theta[i], mean[i] + spread * std::sqrt(variance[i]) * same.normal(), 1e-14);
      }
    }
    const auto quiet = policy->actor(kChunk, Acting::kMean);
    EXPECT_EQ(bits(quiet->parameter_sampler()->start(xi, 1.0, 0, random)), bits(mean));
    EXPECT_EQ(bits(actor->parameter_sampler()->start(xi, 0.0, 0, random)), bits(mean));
  }
}

TEST(Hyperpolicy, ActsInEveryLaneWithItsDrawAndWithoutNoise) {
  // A hyperpolicy inside a hyperpolicy acts through Policy's own lane_means: policies need not bring theirs.
  for (const auto& inner : {linear(), network(), std::shared_ptr<const Policy>(hyperpolicy(linear(), {}))}) {
    const auto policy = hyperpolicy(inner, {});
    const std::vector<double> xi = policy->initial_parameters(1);
    for (const Index lanes : {4, 12}) {
      const auto actor = policy->actor(lanes, Acting::kSample);
      RandomStream random({.seed = 8, .purpose = Purpose::kSampledParameters});
      std::vector<std::vector<double>> theta;
      for (Index l = 0; l < lanes; ++l) {
        const std::span<const double> drawn = actor->parameter_sampler()->start(xi, 1.0, l, random);
        theta.emplace_back(drawn.begin(), drawn.end());
      }
      actor->parameter_sampler()->move(lanes - 1, 1);
      theta[1] = theta.back();
      EXPECT_EQ(actor->noise().count, 0);
      const std::vector<double> observations = random_numbers(2 * lanes, 1.0, 2);
      std::vector<double> actions(as_size(2 * lanes), -1.0), notes(actions), expected(2);
      actor->act(xi, lanes - 1, observations.data(), nullptr, actions.data(), notes.data());
      for (Index l = 0; l + 1 < lanes; ++l) {
        const std::vector<double> observation = {observations[as_size(l)], observations[as_size(lanes + l)]};
        inner->mean(theta[as_size(l)], observation, expected);
        for (Index u = 0; u < 2; ++u) {
          EXPECT_NEAR(actions[as_size(u * lanes + l)], expected[as_size(u)], 1e-13) << "lane " << l;
        }
      }
    }
  }
}

TEST(Hyperpolicy, CollectsOneDrawATrajectory) {
  const auto inner = std::shared_ptr<const Policy>(linear_inner(2));
  const auto policy = hyperpolicy(inner, {.variance = {0.3}});
  const std::vector<double> xi = {-0.5, 0.2};
  const Workers workers;
  Collector collector(drift(), *policy, {.seed = 3, .lanes = 8, .credit = Credit::kReturn}, workers);
  const TrajectoryBatch batch = collector.collect_steps(xi, 1, 0, 21);
  ASSERT_EQ(batch.sampled.size(), 42U);
  for (Index j = 0; j < 21; ++j) {
    const Parameters theta = Parameters(batch.sampled).subspan(as_size(2 * j), 2);
    EXPECT_NE(theta[0], xi[0]);
    for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
      std::vector<double> expected(1);
      inner->mean(theta, reference::observation(batch, t), expected);
      EXPECT_NEAR(reference::action(batch, t)[0], expected[0], 1e-14);
    }
  }
  std::vector<double> first;
  for (Index j = 0; j < 21; ++j) first.push_back(batch.sampled[as_size(2 * j)]);
  std::ranges::sort(first);
  EXPECT_EQ(std::ranges::adjacent_find(first), first.end()) << "no draw twice";

  Collector quiet(drift(), *policy, {.seed = 3, .lanes = 8, .deterministic = true}, workers);
  const TrajectoryBatch mean = quiet.collect_steps(xi, 1, 0, 5);
  for (std::size_t i = 0; i < mean.sampled.size(); ++i) EXPECT_EQ(mean.sampled[i], xi[i % 2]);
}

TEST(Hyperpolicy, DigestsTheReturnWhateverTheCreditOfItsSteps) {
  const auto policy = hyperpolicy(linear_inner(2), {.variance = {0.3}});
  const std::vector<double> xi = {0.1, 0.2}, weights(5, 0.2);
  const Workers workers;
  Collector collector(drift(DriftReward::kEveryStep, 0.9), *policy, {.seed = 3}, workers);
  const TrajectoryBatch batch = collector.collect_steps(xi, 1, 0, 5);
  const auto numbers = [&](Credit credit) { return bits(policy->digest(xi, batch, 0.9, credit)->numbers()); };
  EXPECT_EQ(numbers(Credit::kReturn), numbers(Credit::kRewardToGo));
  const std::vector<double> returns = discounted_returns(batch, 0.9);
  const auto whole = policy->digest(xi, batch, 0.9, Credit::kReturn),
             one = policy->digest(xi, batch, 0.9, Credit::kOne);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_EQ(whole->numbers()[3 * j + 2], returns[j]);
    EXPECT_EQ(one->numbers()[3 * j + 2], 1.0);
  }
  // Given credits count by those of the first steps, one a trajectory or one a parameter.
  std::vector<double> credits(as_size(batch.steps()), -7.0), components(as_size(2 * batch.steps()), -7.0);
  for (std::size_t j = 0; j < 5; ++j) {
    const auto step = as_size(batch.begin(static_cast<Index>(j)));
    credits[step] = components[2 * step] = components[2 * step + 1] = returns[j];
  }
  EXPECT_EQ(bits(policy->digest(xi, batch, credits)->numbers()), bits(whole->numbers()));
  EXPECT_EQ(bits(gradient(*policy->digest(xi, batch, components), xi, weights)), bits(gradient(*whole, xi, weights)));
}

TEST(Hyperpolicy, RefusesTrajectoriesWithoutTheirParametersAndCreditsOfAnotherNumber) {
  const auto policy = hyperpolicy(linear_inner(2), {});
  const std::vector<double> xi = {0.1, 0.2};
  TrajectoryBatch batch = drawn_batch(*policy, xi, 5, 1, [](Parameters) { return 1.0; });
  expect_throw([&] { policy->digest(xi, batch, std::vector<double>(7)); }, "one credit per step");
  batch.sampled[3] = std::nan("");
  expect_throw([&] { policy->digest(xi, batch, 1.0, Credit::kReturn); }, "a sampled parameter");
  batch.sampled.pop_back();
  expect_throw([&] { policy->digest(xi, batch, 1.0, Credit::kReturn); },
               "hold 9 sampled parameters; expected 2 for each of 5");
  std::vector<double> scores;
  expect_throw([&] { policy->running_scores(xi, batch, 0, scores); }, "hold 9 sampled parameters");
}

TEST(Hyperpolicy, ScoresItsOneDecisionAtEveryStep) {
  for (const bool learned : {false, true}) {
    const auto policy = hyperpolicy(linear_inner(2), {.variance = {0.3, 0.6}, .learn_deviation = learned});
    EXPECT_FALSE(policy->provides(Capability::kConcave));
    const std::vector<double> xi = policy->initial_parameters(1);
    const Workers workers;
    Collector collector(drift(), *policy, {.seed = 3}, workers);
    const TrajectoryBatch batch = collector.collect_steps(xi, 1, 0, 3);
    const auto evidence = policy->digest(xi, batch, 1.0, Credit::kOne);
    for (Index j = 0; j < 3; ++j) {
      std::vector<double> scores, alone(3, 0.0);
      policy->running_scores(xi, batch, j, scores);
      alone[as_size(j)] = 1.0;
      const std::vector<double> score = gradient(*evidence, xi, alone);
      ASSERT_EQ(scores.size(), as_size(batch.length(j)) * xi.size());
      for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(scores[i], score[i % xi.size()]);
    }
  }
}

TEST(Hyperpolicy, HoldsNoMoreThanItSays) {
  const auto policy = hyperpolicy(linear_inner(3), {.learn_deviation = true});
  const std::vector<double> xi = policy->initial_parameters(1);
  const TrajectoryBatch batch = drawn_batch(*policy, xi, 5, 1, [](Parameters) { return 1.0; });
  for (const std::size_t width : {1U, 6U}) {
    EXPECT_LE(bytes_of(*policy->digest(xi, batch, std::vector<double>(5 * width))),
              5 * policy->bytes_per_trajectory(200));
  }
  EXPECT_EQ(policy->bytes_per_trajectory(1), policy->bytes_per_trajectory(1000));
}

TEST(Hyperpolicy, RefusesVariancesThatAreNone) {
  const auto refuse = [](std::vector<double> variance, const std::string& problem) {
    expect_throw([&] { hyperpolicy(linear_inner(3), {.variance = variance}); }, problem);
  };
  refuse({}, "hyperpolicy.variance has 0 numbers; expected 1 or 3, one per parameter of the policy");
  refuse({1.0, 1.0}, "hyperpolicy.variance has 2 numbers; expected 1 or 3");
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e-310}) {
    refuse({bad}, "hyperpolicy.variance must be positive and finite");
    refuse({1.0, bad, 1.0}, "hyperpolicy.variance must be positive and finite");
  }
}

}  // namespace
}  // namespace retropg::test
