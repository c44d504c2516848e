// A family of policies that is not Gaussian must run like the built-in ones: nothing between a policy and an estimator
// knows a mean, a variance or a normal number.
#include "support/coin_policy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/estimator/bpo.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/pois.hpp"
#include "retropg/estimator/rnpg.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/policy/sampler.hpp"
#include "retropg/rollout/collector.hpp"
#include "retropg/training/run.hpp"
#include "support/bits.hpp"
#include "support/central_differences.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

constexpr Index kHorizon = 3;
constexpr double kDiscount = 0.9;

/// x' = x / 2 + a from x = 0, of which (1, x) is seen. Eight sequences of actions are all there is.
struct Chain {
  double x = 0.0;

  std::array<double, 2> observed() const { return {1.0, x}; }
  double step(double action) {
    const double reward = 2.0 * action - x * x;
    x = 0.5 * x + action;
    return reward;
  }
};

class ChainBlock final : public Environment {
 public:
  explicit ChainBlock(Index lanes) : lanes_(as_size(lanes)), chains_(lanes_) {}

  void reset(Index lane, RandomStream&, std::span<double> observations) override {
    chains_[as_size(lane)] = {};
    observe(as_size(lane), observations);
  }
  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      step.ended[l] = 0.0;
      step.rewards[l] = chains_[l].step(step.actions[l]);
      observe(l, step.observations);
    }
  }
  void move(Index from, Index to) override { chains_[as_size(to)] = chains_[as_size(from)]; }

 private:
  void observe(std::size_t lane, std::span<double> observations) const {
    for (std::size_t i = 0; i < 2; ++i) observations[i * lanes_ + lane] = chains_[lane].observed()[i];
  }

  std::size_t lanes_;
  std::vector<Chain> chains_;
};

EnvironmentDefinition chain() {
  return {.id = "Chain",
          .observation_size = 2,
          .action_size = 1,
          .horizon = kHorizon,
          .discount = kDiscount,
          .make = [](Index lanes) { return std::make_unique<ChainBlock>(lanes); }};
}

/// Every trajectory there is.
TrajectoryBatch all_trajectories() {
  TrajectoryBatch batch{.observation_size = 2, .action_size = 1};
  for (int sequence = 0; sequence < 8; ++sequence) {
    Chain state;
    for (int t = 0; t < kHorizon; ++t) {
      const double action = (sequence >> t) % 2;
      const auto observation = state.observed();
      batch.add(observation, std::array{action}, state.step(action));
    }
    batch.close();
  }
  return batch;
}

/// p_theta of one of them.
double probability(Parameters theta, const TrajectoryBatch& batch, Index j) {
  double product = 1.0;
  for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
    const auto seen = reference::observation(batch, t);
    const double p = 1.0 / (1.0 + std::exp(-theta[0] * seen[0] - theta[1] * seen[1]));
    product *= batch.actions[as_size(t)] == 1.0 ? p : 1.0 - p;
  }
  return product;
}

double performance(Parameters theta) {
  const TrajectoryBatch batch = all_trajectories();
  const std::vector<double> returns = discounted_returns(batch, kDiscount);
  double sum = 0.0;
  for (Index j = 0; j < batch.size(); ++j) sum += probability(theta, batch, j) * returns[as_size(j)];
  return sum;
}

const std::vector<double> kBehavior = {0.3, -0.4}, kTheta = {-0.2, 0.5};

TEST(CoinPolicy, LogRatiosAreThoseOfTheProbabilities) {
  const TrajectoryBatch batch = all_trajectories();
  const CoinPolicy policy(2);
  const auto evidence = policy.digest(kBehavior, batch, kDiscount, Credit::kRewardToGo);
  const Answers answers = ask(*evidence, kTheta, std::vector<double>(8, 1.0));
  double total = 0.0;
  for (Index j = 0; j < 8; ++j) {
    const double expected = probability(kTheta, batch, j) / probability(kBehavior, batch, j);
    EXPECT_NEAR(std::exp(answers.log_ratio[as_size(j)]), expected, 1e-13 * expected);
    total += probability(kBehavior, batch, j) * std::exp(answers.log_ratio[as_size(j)]);
  }
  EXPECT_NEAR(total, 1.0, 1e-14) << "the ratios make the probabilities of the target";
  const Answers here = ask(*evidence, kBehavior, std::vector<double>(8, 1.0));
  EXPECT_EQ(bits(here.log_ratio), bits(std::vector<double>(8, 0.0)));
  EXPECT_EQ(bits(here.renyi), bits(std::vector<double>(8, 0.0)));
}

TEST(CoinPolicy, RenyiDivergenceOfADecisionIsTheExpectedPowerOfItsRatio) {
  TrajectoryBatch batch{.observation_size = 2, .action_size = 1};
  const std::array<double, 2> seen = {1.0, 0.7};
  batch.add(seen, std::array{1.0}, 1.0);
  batch.close();
  const auto evidence = CoinPolicy(2).digest(kBehavior, batch, kDiscount, Credit::kRewardToGo);
  const double p = 1.0 / (1.0 + std::exp(0.2 - 0.5 * 0.7)), q = 1.0 / (1.0 + std::exp(-0.3 + 0.4 * 0.7));
  for (const double order : {1.5, 2.0, 3.0}) {
    const double expected = q * std::pow(p / q, order) + (1.0 - q) * std::pow((1.0 - p) / (1.0 - q), order);
    EXPECT_NEAR(std::exp(ask(*evidence, kTheta, std::array{1.0}, order).renyi[0]), expected, 1e-14);
    EXPECT_GT(expected, 1.001);
  }
}

TEST(CoinPolicy, GradientIsThatOfThePerformanceByEnumeration) {
  const TrajectoryBatch batch = all_trajectories();
  const CoinPolicy policy(2);
  const std::vector<double> expected = central_differences(kTheta, performance);
  std::vector<double> weights;
  for (Index j = 0; j < 8; ++j) weights.push_back(probability(kTheta, batch, j));
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    const auto evidence = policy.digest(kBehavior, batch, kDiscount, credit);
    const std::vector<double> computed = gradient(*evidence, kTheta, weights);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(computed[i], expected[i], 1e-8);
  }
  EXPECT_GT(norm(expected), 0.1);

  // The score of a single trajectory, and after each of its steps.
  const auto bare = policy.digest(kBehavior, batch, kDiscount, Credit::kOne);
  for (Index j = 0; j < 8; ++j) {
    std::vector<double> alone(8, 0.0), running;
    alone[as_size(j)] = 1.0;
    const std::vector<double> score = gradient(*bare, kTheta, alone);
    policy.running_scores(kTheta, batch, j, running);
    const std::vector<double> slope =
        central_differences(kTheta, [&](Parameters theta) { return std::log(probability(theta, batch, j)); });
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(score[i], slope[i], 1e-8);
      EXPECT_NEAR(running[2 * (kHorizon - 1) + i], score[i], 1e-14);
    }
  }
}

TEST(CoinPolicy, IsCollectedWithTheUniformsOfItsTrajectories) {
  const CoinPolicy policy(2);
  const Workers workers;
  for (const Index lanes : {4, 8, 32}) {
    Collector collector(chain(), policy, {.seed = 9, .lanes = lanes}, workers);
    const TrajectoryBatch batch = collector.collect_steps(kTheta, 2, 5, 50);
    for (Index j = 0; j < 50; ++j) {
      const StreamName name{
          .seed = 9, .purpose = Purpose::kActionNoise, .iteration = 2, .trajectory = static_cast<std::uint32_t>(5 + j)};
      RandomStream random(name);
      Sampler sampler = policy.sample(kTheta, RandomStream(name));
      ASSERT_EQ(batch.length(j), kHorizon);
      for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
        const auto seen = reference::observation(batch, t);
        const double p = Coin::probability(Coin::logit(kTheta, seen.data()), 1.0);
        EXPECT_EQ(batch.actions[as_size(t)], random.uniform() < p ? 1.0 : 0.0) << "trajectory " << j;
        EXPECT_EQ(sampler.act(seen)[0], batch.actions[as_size(t)]) << "trajectory " << j;
      }
      EXPECT_TRUE(sampler.parameters().empty());
    }
    const auto told = policy.digest(kTheta, batch, kDiscount, Credit::kRewardToGo);
    EXPECT_EQ(bits(collector.collect(kTheta, 2, 5, 50).evidence->numbers()), bits(told->numbers()));
  }
  Collector still(chain(), policy, {.seed = 9, .deterministic = true}, workers);
  const TrajectoryBatch batch = still.collect_steps(kTheta, 2, 0, 3);
  std::vector<double> mean(1);
  for (Index t = 0; t < batch.steps(); ++t) {
    policy.mean(kTheta, reference::observation(batch, t), mean);
    EXPECT_EQ(batch.actions[as_size(t)], mean[0]);
  }
}

struct Method {
  const char* name;
  std::function<std::unique_ptr<Estimator>(const Policy&, Index batch)> make;
};

const std::vector<Method> kMethods = {
    {"gpomdp", [](const Policy&, Index batch) { return on_policy(batch, Credit::kRewardToGo); }},
    {"rpg", [](const Policy& policy,
               Index batch) { return windowed(policy, {.batch = batch, .window = 3}, multiple_power_mean({})); }},
    {"rpg of another order",
     [](const Policy& policy, Index batch) {
       return windowed(policy, {.batch = batch, .window = 3}, multiple_power_mean({}, {.order = 1.5}));
     }},
    {"bh-pg", [](const Policy& policy, Index batch) {
       return windowed(policy, {.batch = batch, .window = 3}, balance_heuristic());
     }}};

TEST(CoinPolicy, EstimatorsFindItsGradient) {
  const CoinPolicy policy(2);
  const Workers workers;
  const OrderedSum sum(workers);
  constexpr Index kBatch = 20000;
  for (const Method& method : kMethods) {
    const auto estimator = method.make(policy, kBatch);
    Collector collector(chain(), policy, {.seed = 4, .credit = estimator->credit()}, workers);
    Index k = 0;
    for (const std::vector<double>& theta : {kBehavior, std::vector{0.0, 0.1}, kTheta}) {
      std::vector<Batch> fresh;
      for (const Draw& draw : estimator->plan(++k, theta, kBatch, sum)) {
        Collected collected = collector.collect(draw.behavior, k, 0, draw.count);
        fresh.push_back({.behavior = draw.behavior,
                         .evidence = std::move(collected.evidence),
                         .returns = std::move(collected.returns),
                         .lengths = std::move(collected.lengths)});
      }
      const Estimate estimate = estimator->estimate(theta, std::move(fresh), sum);
      estimator->keep();
      const std::vector<double> expected = central_differences(theta, performance);
      // One gradient has a deviation of some 2: 20,000 leave a standard error of 0.015.
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(estimate.gradient[i], expected[i], 0.06) << method.name;
      EXPECT_GT(norm(expected), 0.3) << "zeros would not do";
    }
  }
}

TEST(CoinPolicy, LearnsAndResumes) {
  for (const Method& method : kMethods) {
    const auto policy = std::make_shared<CoinPolicy>(2);
    const TrainerOptions options{
        .iterations = 60, .seed = 3, .output = Output::kLast, .horizon = kHorizon, .discount = kDiscount};
    const auto make = [&] { return Trainer(policy, method.make(*policy, 20), constant_step(0.3), options); };
    Trainer trainer = make();
    Collector collector(chain(), *policy, {.seed = 3, .credit = trainer.credit()}, trainer.workers());
    std::unique_ptr<Trainer> resumed;
    while (!trainer.finished()) {
      if (trainer.iteration() == 10) {
        Archive saved(Archive::Mode::kSave);
        trainer.state(saved);
        Archive archive(saved.state());
        resumed = std::make_unique<Trainer>(make());
        resumed->state(archive);
      }
      answer(trainer, collector);
      trainer.update();
      if (resumed == nullptr) continue;
      answer(*resumed, collector);
      resumed->update();
      ASSERT_EQ(bits(resumed->parameters()), bits(trainer.parameters())) << method.name;
    }
    double best = 0.0;  // of all deterministic sequences
    for (const double value : discounted_returns(all_trajectories(), kDiscount)) best = std::max(best, value);
    EXPECT_LT(performance(std::vector{0.0, 0.0}), best - 0.8);
    EXPECT_GT(performance(trainer.parameters()), best - 0.4) << method.name;
  }
}

TEST(CoinPolicy, IsRefusedWhereMoreIsNeededThanItHas) {
  const CoinPolicy policy(2);
  expect_throw([&] { pois(policy, {}); }, "has no gradient of its Renyi divergence, which");
  expect_throw([&] { rnpg(policy, {}); }, "has no Fisher matrix, which rnpg needs");
  expect_throw([&] { bpo(policy, {}); }, "which bpo needs");
  expect_throw([&] { policy.sample(kTheta, RandomStream({.seed = 1}), 1.2); }, "this policy only supports spread = 1");
}

}  // namespace
}  // namespace retropg::test
