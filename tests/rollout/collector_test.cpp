#include "retropg/rollout/collector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "support/bits.hpp"
#include "support/collecting.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/lane_rows.hpp"
#include "support/numbers.hpp"

namespace retropg::test {
namespace {

TEST(Collector, ABatchIsTheSameInPieces) {
  for (const Problem& problem : {cart_pole_problem(), noisy_problem()}) {
    const Collected whole = collect(problem, {.first = 0, .count = 8});
    const std::vector<double> theta = uniform_numbers(problem.theta.size(), -1.0, 1.0, 1);
    const std::vector<double> weights = uniform_numbers(8, 0.5, 1.5, 2);
    const Answers expected = ask(*whole.evidence, theta, weights);
    for (const Index first : {0, 4}) {
      const Collected half = collect(problem, {.first = first, .count = 4});
      const auto begin = as_size(first), parameters = problem.theta.size();
      EXPECT_EQ(bits(half.returns), bits(std::span(whole.returns).subspan(begin, 4)));
      EXPECT_EQ(half.lengths, (std::vector(whole.lengths.begin() + first, whole.lengths.begin() + first + 4)));
      const Answers answers = ask(*half.evidence, theta, std::span(weights).subspan(begin, 4));
      EXPECT_EQ(bits(answers.log_ratio), bits(std::span(expected.log_ratio).subspan(begin, 4)));
      EXPECT_EQ(bits(answers.renyi), bits(std::span(expected.renyi).subspan(begin, 4)));
      EXPECT_EQ(bits(answers.rows), bits(std::span(expected.rows).subspan(begin / 4 * parameters, parameters)));
    }
  }
}

TEST(Collector, PaddingOfMomentsIsZero) {
  const Problem problem = cart_pole_problem();
  for (const Index count : {1, 5, 6, 7}) {
    collect(problem, {.count = 8});  // may leave its memory to the next one
    const Collected collected = collect(problem, {.count = count});
    const std::span<const double> numbers = collected.evidence->numbers();
    for (const std::size_t half : {std::size_t{0}, numbers.size() / 2}) {
      const std::size_t last_chunk = half + numbers.size() / 2 - 14 * kChunk;  // 14 pairs of four trajectories
      for (std::size_t pair = 0; pair < 14; ++pair) {
        for (Index lane = (count - 1) % kChunk + 1; lane < kChunk; ++lane) {
          EXPECT_EQ(numbers[last_chunk + pair * kChunk + as_size(lane)], 0.0) << count;
        }
      }
    }
  }
}

TEST(Collector, ATrajectoryDoesNotDependOnTheOthersOfItsBatch) {
  const Problem problem = cart_pole_problem();
  const Collected whole = collect(problem, {.first = 0, .count = 40});
  const Answers expected = ask(*whole.evidence, {problem.theta}, std::vector(40, 1.0));
  for (const Index first : {3, 17, 38}) {  // places in a chunk that change
    const Collected part = collect(problem, {.first = first, .count = 2});
    const std::vector<double> theta = uniform_numbers(4, -1.0, 1.0, 1);
    const Answers answers = ask(*part.evidence, theta, std::vector(2, 1.0));
    const Answers all = ask(*whole.evidence, theta, std::vector(40, 1.0));
    for (std::size_t j = 0; j < 2; ++j) {
      const std::size_t place = as_size(first) + j;
      EXPECT_EQ(part.returns[j], whole.returns[place]);
      EXPECT_EQ(part.lengths[j], whole.lengths[place]);
      EXPECT_EQ(answers.log_ratio[j], all.log_ratio[place]);
      EXPECT_EQ(answers.renyi[j], all.renyi[place]);
      EXPECT_EQ(expected.log_ratio[place], 0.0);  // at the behavior itself
    }
  }
}

TEST(Collector, SeedsIterationsAndTrajectoriesDiffer) {
  const Problem problem = cart_pole_problem();
  const TrajectoryBatch batch = collect_steps(problem, {.count = 20});
  std::set<double> first_observations, first_actions;
  std::size_t names = 0;
  const auto remember = [&](const TrajectoryBatch& other) {
    for (Index j = 0; j < other.size(); ++j, ++names) {
      first_observations.insert(other.observations[as_size(4 * other.begin(j))]);
      first_actions.insert(other.actions[as_size(other.begin(j))]);
    }
  };
  remember(batch);
  remember(collect_steps(problem, {.seed = 2, .count = 20}));
  remember(collect_steps(problem, {.seed = 1 + (std::uint64_t{1} << 32), .count = 20}));
  remember(collect_steps(problem, {.iteration = 4, .count = 20}));
  remember(collect_steps(problem, {.first = 20, .count = 20}));
  EXPECT_EQ(names, 100u);
  EXPECT_EQ(first_observations.size(), names);
  EXPECT_EQ(first_actions.size(), names);
}

TEST(Collector, TrajectoriesAreThoseTheirNamesStandFor) {
  // Each one again by hand: the start from its reset stream, noise n = step * actions + action from its noise stream,
  // the environment one lane at a time.
  for (const Problem& problem : {cart_pole_problem(), noisy_problem()}) {
    const EnvironmentDefinition& definition = problem.environment;
    const std::unique_ptr<Policy> policy = problem.policy();
    const Request request{.seed = 77, .iteration = 12, .first = 5, .count = 13};
    const TrajectoryBatch batch = collect_steps(problem, request);
    const Collected collected = collect(problem, request);
    ASSERT_EQ(batch.size(), 13);
    for (Index j = 0; j < batch.size(); ++j) {
      RandomStream start(stream_name(request, Purpose::kReset, request.first + j));
      RandomStream noise(stream_name(request, Purpose::kActionNoise, request.first + j));
      const std::unique_ptr<Environment> environment = definition.make(4);
      LaneRows rows(definition, 4);
      std::vector<double> mean(as_size(definition.action_size));
      rows.live[2] = 1.0;
      environment->reset(2, start, rows.observations);
      bool ended = false;
      for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
        ASSERT_FALSE(ended) << "a step after the end";
        const std::vector<double> observation = rows.observed(2);
        for (std::size_t i = 0; i < observation.size(); ++i) {
          ASSERT_EQ(batch.observations[as_size(t * definition.observation_size) + i], observation[i]);
        }
        policy->mean(problem.theta, observation, mean);
        for (std::size_t u = 0; u < mean.size(); ++u) {
          const double action = batch.actions[as_size(t * definition.action_size) + u];
          const double deviation = std::sqrt(problem.options.variance[u]);
          // The kernel's mean and noise are libm's to some units of 10.
          ASSERT_NEAR(action, mean[u] + deviation * noise.normal(), 1e-14);
          rows.actions[4 * u + 2] = action;
        }
        rows.step(*environment);
        ASSERT_EQ(batch.rewards[as_size(t)], rows.rewards[2]);
        ended = rows.ended[2] > 0.0;
      }
      EXPECT_TRUE(ended || batch.length(j) == definition.horizon);
      EXPECT_EQ(collected.lengths[as_size(j)], batch.length(j));
    }
  }
}

TEST(Collector, StepsAndDigestAgreeToTheLastBit) {
  for (Problem problem : of_both_kinds({cart_pole_problem(), noisy_problem(), scaled_problem()})) {
    for (const Index horizon : {1, 7, 8, 9, 200}) {
      problem.environment.horizon = horizon;
      for (const double discount : {1.0, 0.9, 0.0}) {
        problem.environment.discount = discount;
        for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn, Credit::kOne}) {
          const Request request{.count = 21, .lanes = 8, .credit = credit};
          const Collected collected = collect(problem, request);
          const TrajectoryBatch batch = collect_steps(problem, request);
          const auto digest = problem.policy()->digest(problem.theta, batch, discount, credit);
          EXPECT_EQ(bits(collected.evidence->numbers()), bits(digest->numbers())) << horizon << " " << discount;
          EXPECT_EQ(bits(collected.returns), bits(discounted_returns(batch, discount))) << horizon << " " << discount;
          for (Index j = 0; j < batch.size(); ++j) EXPECT_EQ(collected.lengths[as_size(j)], batch.length(j));
          EXPECT_NO_THROW(check(batch, problem.environment.observation_size, problem.environment.action_size, horizon));
        }
      }
    }
  }
}

TEST(Collector, AShorterHorizonCutsTheSameTrajectories) {
  Problem problem = cart_pole_problem();
  const TrajectoryBatch whole = collect_steps(problem, {.count = 40});
  for (const Index horizon : {1, 7, 8, 30}) {
    problem.environment.horizon = horizon;
    const TrajectoryBatch cut = collect_steps(problem, {.count = 40});
    for (Index j = 0; j < 40; ++j) {
      ASSERT_EQ(cut.length(j), std::min(whole.length(j), horizon));
      for (Index t = 0; t < cut.length(j); ++t) {
        ASSERT_EQ(cut.actions[as_size(cut.begin(j) + t)], whole.actions[as_size(whole.begin(j) + t)]);
        ASSERT_EQ(cut.rewards[as_size(cut.begin(j) + t)], whole.rewards[as_size(whole.begin(j) + t)]);
      }
    }
  }
}

TEST(Collector, ReturnsAreDiscountedFromTheStart) {
  Problem problem = cart_pole_problem();  // reward 1 a step, so the return is a geometric sum of the length
  const Collected plain = collect(problem, {.count = 40});
  problem.environment.discount = 0.9;
  const Collected discounted = collect(problem, {.count = 40});
  EXPECT_EQ(discounted.lengths, plain.lengths);
  for (std::size_t j = 0; j < 40; ++j) {
    const auto length = static_cast<double>(plain.lengths[j]);
    EXPECT_EQ(plain.returns[j], length);
    EXPECT_NEAR(discounted.returns[j], (1.0 - std::pow(0.9, length)) / 0.1, 1e-13);  // 200 roundings of sums below 10
  }
}

TEST(Collector, CreditsChangeTheEvidenceOnly) {
  const Problem problem = cart_pole_problem();
  const Collected to_go = collect(problem, {}), whole = collect(problem, {.credit = Credit::kReturn});
  EXPECT_EQ(to_go.returns, whole.returns);
  EXPECT_NE(bits(to_go.evidence->numbers()), bits(whole.evidence->numbers()));
}

TEST(Collector, ActsWithTheMeanWhenDeterministic) {
  for (const Problem& problem : {cart_pole_problem(), noisy_problem(), scaled_problem()}) {
    const std::unique_ptr<Policy> policy = problem.policy();
    const Workers workers(2);
    Collector collector(problem.environment, *policy, {.seed = 1, .lanes = 8, .deterministic = true}, workers);
    const TrajectoryBatch batch = collector.collect_steps(problem.theta, 3, 0, 21);
    const TrajectoryBatch sampled = collect_steps(problem, {.count = 21});
    std::vector<double> mean(as_size(batch.action_size));
    for (Index t = 0; t < batch.steps(); ++t) {
      const auto row = [&](const std::vector<double>& rows, Index width) {
        return std::span(rows).subspan(as_size(t * width), as_size(width));
      };
      policy->mean(problem.theta, row(batch.observations, batch.observation_size), mean);
      const std::span<const double> action = row(batch.actions, batch.action_size);
      // The kernel's fused sums against plain ones, of terms that stay below 20.
      for (std::size_t u = 0; u < mean.size(); ++u) ASSERT_NEAR(action[u], mean[u], 1e-14);
    }
    for (Index j = 0; j < batch.size(); ++j) {  // the same starts, then another way
      EXPECT_EQ(batch.observations[as_size(batch.begin(j) * batch.observation_size)],
                sampled.observations[as_size(sampled.begin(j) * batch.observation_size)]);
    }
    EXPECT_NE(bits(batch.actions), bits(sampled.actions));
  }
}

TEST(Collector, RefusesLanesThatAreNotWholeChunks) {
  const Problem problem = cart_pole_problem();
  for (const Index lanes : {0, -4, 1, 3, 6, 30}) {
    expect_throw([&] { collect(problem, {.lanes = lanes}); },
                 "lanes must be a positive multiple of 4, not " + std::to_string(lanes));
  }
}

TEST(Collector, RefusesAPolicyOfOtherSizes) {
  Problem problem = cart_pole_problem();
  problem.options.observation_size = 3;
  expect_throw([&] { collect(problem, {}); },
               "the policy expects 3 observations and 1 actions; CartPoleContinuous-v0 has 4 and 1");
  problem = cart_pole_problem();
  problem.options.action_size = 2;
  expect_throw([&] { collect(problem, {}); },
               "the policy expects 4 observations and 2 actions; CartPoleContinuous-v0 has 4 and 1");
}

TEST(Collector, RefusesNumbersThatWouldRepeatRandomNumbers) {
  constexpr Index kNumbers = Index{1} << 32;
  const Workers workers;
  const auto policy = linear_gaussian({.observation_size = 4, .action_size = 1});
  const std::vector<double> theta(4, 0.0);
  EnvironmentDefinition environment = cart_pole();
  environment.horizon = 2;
  Collector collector(environment, *policy, {}, workers);
  EXPECT_NO_THROW(collector.collect(theta, kNumbers - 1, kNumbers - 1, 1));
  expect_throw([&] { collector.collect(theta, kNumbers, 0, 1); },
               "iteration 4294967296 has no random numbers of its own: numbers go from 0 to 4294967295");
  expect_throw([&] { collector.collect_steps(theta, -1, 0, 1); }, "iteration -1 has no random numbers");
  expect_throw([&] { collector.collect(theta, 0, kNumbers - 1, 2); }, "trajectory 4294967296 has no random numbers");
  expect_throw([&] { collector.collect_steps(theta, 0, -3, 2); }, "trajectory -3 has no random numbers");
}

TEST(Collector, RefusesToCollectNothing) {
  for (const Index count : {0, -4}) {
    expect_throw([&] { collect(cart_pole_problem(), {.count = count}); }, std::to_string(count));
  }
}

}  // namespace
}  // namespace retropg::test
