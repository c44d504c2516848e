#include "retropg/training/step_limit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/environment/environment.hpp"
#include "support/algorithm_runs.hpp"
#include "support/coin_policy.hpp"
#include "support/expect_throw.hpp"
#include "support/laboratory.hpp"
#include "support/scripted_trainer.hpp"

namespace retropg::test {
namespace {

constexpr double kRounding = 1e-6;  // the tolerance that the limit has itself

/// The mean over trajectories of the sum over steps of KL(pi_theta || pi_next), from the means of single actions.
double divergence_of(const Policy& policy, Parameters theta, Parameters next, const TrajectoryBatch& batch,
                     double variance = 0.3) {
  std::vector<double> mean(as_size(batch.action_size)), next_mean(mean.size());
  double sum = 0.0;
  for (Index t = 0; t < batch.steps(); ++t) {
    const auto width = as_size(batch.observation_size);
    const auto observation = std::span(batch.observations).subspan(as_size(t) * width, width);
    policy.mean(theta, observation, mean);
    policy.mean(next, observation, next_mean);
    for (std::size_t u = 0; u < mean.size(); ++u) {
      sum += 0.5 * (next_mean[u] - mean[u]) * (next_mean[u] - mean[u]) / variance;
    }
  }
  return sum / static_cast<double>(batch.size());
}

std::vector<double> copy_of(Parameters theta) {
  return {theta.begin(), theta.end()};
}

Configuration short_run(const std::vector<std::string>& more) {
  Configuration configuration =
      configured({"env.horizon=50", "algo.batch=5", "algo.window=3", "train.threads=1", "optimizer.rate=0.3"});
  for (const std::string& setting : more) apply_setting(configuration, setting);
  return configuration;
}

TEST(StepLimit, ScalesTheStepOfALinearPolicyByOneNumber) {
  for (const std::string evidence : {"policy.evidence=moments", "policy.evidence=steps"}) {
    Session limited(short_run({evidence, "optimizer.trust=0.002"})), free(short_run({evidence}));
    for (Index k = 1; k <= 4; ++k) {
      // Both begin the iteration with the same numbers, those of the limited run.
      Archive state(Archive::Mode::kSave);
      limited.trainer.state(state);
      Archive restored(state.state());
      free.trainer.state(restored);
      const std::vector<double> theta = copy_of(free.trainer.parameters());
      const TrajectoryBatch steps = free.collector.collect_steps(theta, k, 0, 5);
      EXPECT_FALSE(free.iterate().limited);
      const IterationRecord record = limited.iterate();
      const double m = divergence_of(free.trainer.policy(), theta, free.trainer.parameters(), steps);
      ASSERT_GT(m, 0.002) << "iteration " << k;
      ASSERT_TRUE(record.limited);
      EXPECT_NEAR(record.limited->factor, std::sqrt(0.002 / m), 1e-10);
      EXPECT_NEAR(record.limited->divergence, 0.002, 1e-12);
      EXPECT_NEAR(divergence_of(free.trainer.policy(), theta, limited.trainer.parameters(), steps), 0.002, 1e-12);
      for (std::size_t i = 0; i < theta.size(); ++i) {
        const double step = free.trainer.parameters()[i] - theta[i];
        EXPECT_EQ(limited.trainer.parameters()[i], theta[i] + record.limited->factor * step);
      }
      // Adam has seen the whole gradient.
      Bits with = state_of(limited.trainer), without = state_of(free.trainer);
      for (const std::string name : {"optimizer/steps", "optimizer/first_moment", "optimizer/second_moment"}) {
        ASSERT_TRUE(with.contains(name));
        EXPECT_EQ(with[name], without[name]) << name;
      }
    }
  }
}

TEST(StepLimit, HoldsForNetworks) {
  for (const std::string optimizer : {"optimizer.kind=adam", "optimizer.kind=constant"}) {
    Session session(short_run({"policy.kind=mlp-gaussian", "policy.hidden=[8, 8]", "optimizer.trust=2", optimizer}));
    double least = 1.0;
    for (Index k = 1; k <= 12; ++k) {
      const std::vector<double> theta = copy_of(session.trainer.parameters());
      const TrajectoryBatch steps = session.collector.collect_steps(theta, k, 0, 5);
      const IterationRecord record = session.iterate();
      const double m = divergence_of(session.trainer.policy(), theta, session.trainer.parameters(), steps);
      ASSERT_TRUE(record.limited);
      EXPECT_LE(m, 2.0 * (1.0 + 2.0 * kRounding));
      EXPECT_NEAR(record.limited->divergence, m, 1e-9 * m);
      EXPECT_GT(record.limited->factor, 0.0) << "there is a step";
      EXPECT_TRUE(record.limited->factor == 1.0 || m >= 0.5 * 2.0)
          << "and it is not much shorter than it may be: " << m;
      least = std::min(least, record.limited->factor);
    }
    EXPECT_LT(least, 0.5) << "it did something";
  }
}

// A deviation that is to shrink to e^-20 of itself has a divergence of e^40: the first factor alone would leave 1e-8 of
// what the limit allows, in the square.
TEST(StepLimit, LengthensAStepAgainThatItsFirstFactorCutTooShort) {
  const LinearGaussianOptions learning{
      .observation_size = 2, .action_size = 1, .variance = {0.3}, .learn_deviation = true};
  const auto policy = linear_gaussian(learning);
  const std::vector<double> theta{0.3, -0.2, std::log(std::sqrt(0.3))};
  const Workers workers;
  const OrderedSum sum(workers);
  std::vector<Batch> fresh(1);
  const TrajectoryBatch steps = random_batch(LinearGaussianOptions{.observation_size = 2, .action_size = 1},
                                             {theta.data(), 2}, std::vector<Index>(5, 20), 1);
  fresh[0] = {.behavior = theta, .evidence = policy->digest(theta, steps, 1.0, Credit::kRewardToGo)};
  for (const double limit : {1e-6, 0.1, 5.0}) {
    for (const double change : {-20.0, -5.0, -300.0, 20.0}) {
      std::vector<double> next{theta[0] + 0.1, theta[1], theta[2] + change};
      const std::vector<double> proposed = next;
      const LimitedStep step = StepLimit(limit, theta, fresh).shorten(next, sum);
      EXPECT_LE(step.divergence, limit * (1.0 + kRounding)) << limit << " " << change;
      EXPECT_GE(step.divergence, 0.5 * limit) << limit << " " << change;
      EXPECT_LT(step.factor, 1.0);
      std::vector<double> divergences(8);
      as<DivergenceEvidence>(*fresh[0].evidence).divergences(theta, next, 0, 2, divergences.data());
      double total = 0.0;
      for (std::size_t j = 0; j < 5; ++j) total += divergences[j];
      EXPECT_NEAR(total / 5.0, step.divergence, 1e-12 * step.divergence) << "the parameters are those of the step";
      for (std::size_t i = 0; i < next.size(); ++i) {
        EXPECT_EQ(next[i], theta[i] + step.factor * (proposed[i] - theta[i]));
      }
    }
  }
}

class StepLimitOf : public EveryAlgorithm {};

TEST_P(StepLimitOf, ChangesNoBitIfNoStepIsTooLong) {
  EXPECT_EQ(run(configuration({"optimizer.trust=1e9"})).state, run(configuration()).state);
}

TEST_P(StepLimitOf, LimitsEveryStepOfThoseWhoReadIt) {
  const Configuration limited = configuration({"optimizer.trust=1e-5"});
  const std::vector<std::string> exempt = {"pgpe", "pb-rpg", "pb-miw", "pb-bh", "pois", "p-pois", "nes"};
  EXPECT_EQ(reads(limited, "optimizer.trust"), std::ranges::find(exempt, GetParam()) == exempt.end());
  if (!reads(limited, "optimizer.trust")) {
    EXPECT_TRUE(run(limited) == run(configuration()));
    return;
  }
  Session session(limited);
  while (!session.trainer.finished()) {
    const IterationRecord record = session.iterate();
    ASSERT_TRUE(record.limited);
    EXPECT_LE(record.limited->divergence, 1e-5 * (1.0 + kRounding));
    EXPECT_LT(record.limited->factor, 1.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, StepLimitOf, testing::ValuesIn(algorithm_names()), test_name);

TEST(StepLimit, LeavesStepsOfTheMethodItselfAlone) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"algo.name=rnpg", "optimizer.kind=constant"},
        std::vector<std::string>{"algo.name=svrpg", "algo.two_adam=true"},
        std::vector<std::string>{"policy.exploration=parameters"}}) {
    std::vector<std::string> limited = settings;
    limited.insert(limited.end(), {"optimizer.trust=1e-9", "train.iterations=4"});
    Configuration configuration = short_run(limited);
    EXPECT_FALSE(reads(configuration, "optimizer.trust"));
    const Outcome with = run(configuration);
    configuration.optimizer.trust = 0.0;
    EXPECT_TRUE(with == run(configuration)) << settings[0];
  }
}

TEST(StepLimit, IsMeasuredOnTheStatesOfThePolicyItself) {
  Laboratory lab(cart_pole(), {.evidence = EvidenceKind::kSteps}, 3);
  const std::vector<double> theta{0.1, 0.2, -0.1, 0.3}, other{0.3, 0.1, 0.2, 0.1}, proposed{1.0, -1.0, 2.0, 0.5};
  const auto shortened = [&](const std::vector<Batch>& fresh) {
    std::vector<double> next = proposed;
    const LimitedStep step = StepLimit(0.01, theta, fresh).shorten(next, lab.sum());
    EXPECT_NEAR(step.divergence, 0.01, 1e-12);
    return step.factor;
  };
  const auto drawn = [&] { return lab.collect(theta, 1, 6); };
  const auto elsewhere = [&] { return lab.collect(other, 2, 5); };
  const auto spread = [&] { return lab.collect(theta, 3, 5, Credit::kRewardToGo, 0, 1.5); };
  std::vector<Batch> own, mixed, others;
  own.push_back(drawn());
  for (const auto& collect : {std::function<Batch()>(elsewhere), {drawn}, {spread}}) mixed.push_back(collect());
  EXPECT_EQ(shortened(mixed), shortened(own));

  // Without a trajectory of its own, it is measured on all, each with the same share.
  for (const auto& collect : {std::function<Batch()>(elsewhere), {spread}}) others.push_back(collect());
  double sum = 0.0;
  for (const Batch& batch : others) {
    std::vector<double> divergences(8);
    as<DivergenceEvidence>(*batch.evidence).divergences(theta, proposed, 0, 2, divergences.data());
    for (const double divergence : divergences) sum += divergence;
  }
  EXPECT_NEAR(shortened(others), std::sqrt(0.01 / (sum / 10.0)), 1e-12);
}

TEST(StepLimit, HoldsForStepsBeyondAllNumbers) {
  for (const double rate : {1e5, 1e150, 1e200, 1e300}) {
    Trainer trainer(scalar_policy(), std::make_unique<ScriptedEstimator>(4, [](Index) { return 1.0; }),
                    constant_step(rate), {.horizon = 1, .trust = 0.1});
    trainer.tell(one_step_batch({1.0, 2.0}));
    const IterationRecord record = trainer.update();
    ASSERT_TRUE(record.limited);
    EXPECT_LE(record.limited->divergence, 0.1 * (1.0 + kRounding)) << rate;
    EXPECT_GT(record.limited->divergence, 0.05) << rate << ": the step is no shorter than it needs to be";
    EXPECT_LT(std::abs(trainer.parameters()[0]), 1.0);
  }
}

/// A trainer of a policy that is not Gaussian.
Trainer coin_trainer(std::function<void()> before_divergence) {
  return Trainer(std::make_shared<CoinPolicy>(1, std::move(before_divergence)),
                 std::make_unique<ScriptedEstimator>(4, [](Index call) { return call % 2 == 0 ? -1.0 : 2.0; }),
                 adam({.rate = 3.0}), {.horizon = 1, .trust = 0.1});
}

TrajectoryBatch coins() {
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  for (const double observation : {1.0, -2.0, 0.5}) {
    batch.add(std::vector{observation}, std::vector{1.0}, 1.0);
    batch.close();
  }
  return batch;
}

TEST(StepLimit, HoldsForAPolicyThatIsNotGaussian) {
  Trainer trainer = coin_trainer({});
  Index shortened = 0;
  for (Index k = 1; k <= 6; ++k) {
    const double before = trainer.parameters()[0];
    trainer.tell(coins());
    const IterationRecord record = trainer.update();
    double m = 0.0;
    for (const double observation : {1.0, -2.0, 0.5}) {
      for (const double action : {0.0, 1.0}) {
        const double p = Coin::probability(before * observation, action);
        m += p * std::log(p / Coin::probability(trainer.parameters()[0] * observation, action)) / 3.0;
      }
    }
    EXPECT_NEAR(record.limited->divergence, m, 1e-12);
    EXPECT_LE(m, 0.1 * (1.0 + 2.0 * kRounding));
    if (record.limited->factor == 1.0) continue;
    EXPECT_GE(m, 0.05) << "not much shorter than it needs to be";
    ++shortened;
  }
  EXPECT_GE(shortened, 2);
}

TEST(StepLimit, ThatFailsLeavesTheTrainerAsItWas) {
  bool fails = false;
  Trainer failing = coin_trainer([&] {
    if (fails) throw RunError("it failed");
  });
  Trainer expected = coin_trainer({});
  for (Index k = 1; k <= 4; ++k) {
    if (k == 3) {
      const Bits before = state_of(failing);
      fails = true;
      failing.tell(coins());
      expect_throw<RunError>([&] { failing.update(); }, "it failed");
      fails = false;
      Bits after = state_of(failing);
      after["estimator/calls"] = before.at("estimator/calls");  // the script goes on
      EXPECT_EQ(after, before);
      break;
    }
    for (Trainer* trainer : {&failing, &expected}) trainer->tell(coins());
    EXPECT_EQ(bits(failing.update()), bits(expected.update()));
  }
}

TEST(StepLimit, IsRefusedWithoutADivergence) {
  const Configuration configuration = configured({"algo.name=pgpe"});
  const EnvironmentDefinition environment = make_environment(configuration);
  const std::shared_ptr<const Policy> policy = make_policy(configuration, environment);
  const auto make = [&](double trust) {
    Trainer(policy, make_estimator(configuration, environment, *policy), constant_step(0.1),
            {.horizon = 200, .trust = trust});
  };
  EXPECT_NO_THROW(make(0.0));
  expect_throw([&] { make(0.1); }, "no closed-form Kullback-Leibler divergence, which a limit of the step");
  expect_throw([&] { make(-0.1); }, "the limit of a step must be finite and not negative");
  expect_throw([] { configured({"optimizer.trust=-1"}); }, "optimizer.trust");
}

}  // namespace
}  // namespace retropg::test
