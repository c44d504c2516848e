// What every policy of the registry must keep to, whatever its mean is made of and whether actions or parameters are
// drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <string>

#include "retropg/core/numerics.hpp"
#include "retropg/configuration/registry.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

/// A policy by the settings that make it.
struct Subject {
  std::string name;
  std::vector<std::string> settings;

  friend void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }
};

class PolicyConformance : public testing::TestWithParam<Subject> {
 protected:
  static constexpr Index kObservations = 3, kActions = 2;

  std::unique_ptr<Policy> make() const {
    std::vector<std::string> settings = {"policy.variance=[0.3, 0.8]", "policy.bias=true",
                                         "policy.shift=[0.1, 0.0, -0.3]", "policy.scale=[1.5, 1.0, 0.5]"};
    settings.insert(settings.end(), GetParam().settings.begin(), GetParam().settings.end());
    const EnvironmentDefinition environment{.id = "none",
                                            .observation_size = kObservations,
                                            .action_size = kActions,
                                            .horizon = 20,
                                            .discount = 1.0,
                                            .make = {}};
    return make_policy(configured(settings), environment);
  }

  const std::unique_ptr<Policy> policy_ = make();

  /// Parameters away from where the policy starts.
  std::vector<double> parameters(std::uint64_t seed) const {
    return sum_of(policy_->initial_parameters(seed), random_numbers(policy_->parameter_count(), 0.1, seed));
  }

  /// Trajectories of unequal length with actions around the mean at theta, or with parameters drawn from it.
  TrajectoryBatch batch(Parameters theta, Index trajectories, std::uint64_t seed) const {
    RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap});
    TrajectoryBatch result{.observation_size = kObservations, .action_size = kActions};
    std::vector<double> observation(as_size(kObservations)), action(as_size(kActions));
    const auto actor = policy_->actor(kChunk);
    for (Index j = 0; j < trajectories; ++j) {
      const std::span<const double> drawn = actor->start(theta, 0, &random);
      result.sampled.insert(result.sampled.end(), drawn.begin(), drawn.end());
      for (Index t = random.below(12); t >= 0; --t) {
        for (double& number : observation) number = random.normal();
        policy_->mean(theta, observation, action);
        for (double& number : action) number += 0.6 * random.normal();
        result.add(observation, action, random.normal());
      }
      result.close();
    }
    return result;
  }

  std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& trajectories) const {
    return policy_->digest(theta, trajectories, 0.95, Credit::kRewardToGo);
  }
};

TEST_P(PolicyConformance, StartsFiniteAndTheSameForTheSameSeed) {
  EXPECT_EQ(policy_->observation_size(), kObservations);
  EXPECT_EQ(policy_->action_size(), kActions);
  const std::vector<double> theta = policy_->initial_parameters(3);
  EXPECT_EQ(as_index(theta.size()), policy_->parameter_count());
  EXPECT_TRUE(all_finite(theta));
  EXPECT_EQ(bits(make()->initial_parameters(3)), bits(theta));
}

/// Policies that draw actions.
class ActionConformance : public PolicyConformance {};

TEST_P(ActionConformance, ActsWithItsMeanPlusAMultipleOfTheNoiseInAnyLane) {
  const std::vector<double> theta = parameters(1), observation = {0.4, -1.1, 0.7}, noise = {0.8, -0.5};
  std::vector<double> mean(as_size(kActions)), expected, doubled;
  policy_->mean(theta, observation, mean);
  for (const Index lanes : {4, 8, 20}) {
    const auto actor = policy_->actor(lanes);
    for (const Index lane : {Index{0}, Index{3}, lanes - 1}) {
      // The lane's action and residual under a multiple of the noise; its neighbors hold other things.
      const auto act = [&](double factor) {
        std::vector<double> observations = random_numbers(kObservations * lanes, 1.0, as_size(lanes));
        std::vector<std::vector<double>> rows;
        std::vector<const double*> pointers;
        for (Index i = 0; i < kObservations; ++i) observations[as_size(i * lanes + lane)] = observation[as_size(i)];
        for (Index u = 0; u < kActions; ++u) {
          rows.push_back(random_numbers(lanes, 1.0, as_size(lanes + u)));
          rows.back()[as_size(lane)] = factor * noise[as_size(u)];
        }
        for (const auto& row : rows) pointers.push_back(row.data());
        std::vector<double> actions(as_size(kActions * lanes)), residuals(as_size(kActions * lanes)), result;
        actor->act(theta, lanes, observations.data(), pointers.data(), actions.data(), residuals.data());
        for (Index u = 0; u < kActions; ++u) result.push_back(actions[as_size(u * lanes + lane)]);
        for (Index u = 0; u < kActions; ++u) result.push_back(residuals[as_size(u * lanes + lane)]);
        return result;
      };
      const std::vector<double> once = act(1.0), twice = act(2.0);
      if (expected.empty()) expected = once;
      EXPECT_EQ(bits(once), bits(expected)) << lanes << " lanes, lane " << lane;
      for (std::size_t u = 0; u < 2; ++u) {
        EXPECT_NEAR(once[u] - once[u + 2], mean[u], 1e-12);
        EXPECT_NEAR(twice[u + 2], 2.0 * once[u + 2], 1e-12);
        EXPECT_GT(once[u + 2] * noise[u], 0.0);
      }
      // deviations of the variances 0.3 and 0.8
      EXPECT_NEAR(once[2] / noise[0], std::sqrt(0.3), 1e-12);
      EXPECT_NEAR(once[3] / noise[1], std::sqrt(0.8), 1e-12);
    }
  }
}

TEST_P(PolicyConformance, EvidenceIsExactlyZeroAtTheBehaviorAndFiniteElsewhere) {
  const std::vector<double> behavior = parameters(1), theta = parameters(2);
  for (Index size = 1; size <= 9; ++size) {
    const auto evidence = digest(behavior, batch(behavior, size, 5));
    EXPECT_EQ(evidence->size(), size);
    const std::vector<double> weights(as_size(size), 1.0), zeros(as_size(chunk_count(size) * kChunk), 0.0);
    const Answers here = ask(*evidence, behavior, weights), there = ask(*evidence, theta, weights);
    EXPECT_EQ(bits(here.log_ratio), bits(zeros));
    EXPECT_EQ(bits(here.distance), bits(zeros));
    EXPECT_TRUE(all_finite(there.log_ratio));
    EXPECT_TRUE(all_finite(there.rows));
    for (std::size_t j = 0; j < zeros.size(); ++j) {  // padding alone says nothing
      EXPECT_EQ(there.distance[j] > 0.0, static_cast<Index>(j) < size);
      EXPECT_EQ(there.log_ratio[j] != 0.0, static_cast<Index>(j) < size);
    }
  }
}

TEST_P(ActionConformance, LogRatioIsThatOfGaussiansAboutTheMean) {
  const std::vector<double> behavior = parameters(1), theta = parameters(2), variance = {0.3, 0.8};
  const TrajectoryBatch trajectories = batch(behavior, 6, 7);
  const Answers answers = ask(*digest(behavior, trajectories), theta, std::vector<double>(6, 1.0));
  for (Index j = 0; j < 6; ++j) {
    double log_ratio = 0.0, distance = 0.0;
    for (Index t = trajectories.begin(j); t < trajectories.begin(j + 1); ++t) {
      std::vector<double> mean(2), behavior_mean(2);
      policy_->mean(theta, reference::observation(trajectories, t), mean);
      policy_->mean(behavior, reference::observation(trajectories, t), behavior_mean);
      for (std::size_t u = 0; u < 2; ++u) {
        const double action = reference::action(trajectories, t)[u];
        log_ratio += 0.5 * (std::pow(action - behavior_mean[u], 2) - std::pow(action - mean[u], 2)) / variance[u];
        distance += std::pow(mean[u] - behavior_mean[u], 2) / variance[u];
      }
    }
    EXPECT_NEAR(answers.log_ratio[as_size(j)], log_ratio, 1e-10 * std::max(1.0, std::abs(log_ratio)));
    EXPECT_NEAR(answers.distance[as_size(j)], distance, 1e-10 * std::max(1.0, distance));
  }
}

TEST_P(PolicyConformance, ScoreIsTheDerivativeOfTheLogRatio) {
  TrajectoryBatch trajectories = batch(parameters(1), 6, 8);
  std::ranges::fill(trajectories.rewards, 0.0);  // a reward of 1 at the end: every step has the credit 1
  for (Index j = 0; j < 6; ++j) trajectories.rewards[as_size(trajectories.begin(j + 1) - 1)] = 1.0;
  const auto evidence = policy_->digest(parameters(1), trajectories, 1.0, Credit::kRewardToGo);
  const std::vector<double> theta = parameters(2), weights = {0.7, -1.1, 0.4, 1.3, -0.6, 0.2};
  const std::vector<double> score = gradient(*evidence, theta, weights);
  for (std::uint64_t number = 0; number < 20; ++number) {
    std::vector<double> direction = random_numbers(policy_->parameter_count(), 1.0, 100 + number);
    const double length = norm(direction);
    for (double& x : direction) x /= length;
    const auto objective = [&](double step) {
      std::vector<double> moved = theta;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += step * direction[i];
      const std::vector<double> log_ratio = ask(*evidence, moved, weights).log_ratio;
      return std::inner_product(weights.begin(), weights.end(), log_ratio.begin(), 0.0);
    };
    constexpr double h = 1e-5;  // curvature leaves some 1e-10, rounding some 1e-10
    const double slope = (objective(h) - objective(-h)) / (2.0 * h);
    const double expected = std::inner_product(score.begin(), score.end(), direction.begin(), 0.0);
    EXPECT_NEAR(slope, expected, 1e-7 * std::max(1.0, norm(score))) << "direction " << number;
  }
  EXPECT_GT(norm(score), 0.1);
}

TEST_P(PolicyConformance, GradientOfTheWholeIsTheSumOfItsParts) {
  const std::vector<double> behavior = parameters(1), theta = parameters(2);
  const auto evidence = digest(behavior, batch(behavior, 9, 9));
  const std::vector<double> first = random_numbers(9, 1.0, 1), second = random_numbers(9, 1.0, 2);
  const std::vector<double> parts = sum_of(gradient(*evidence, theta, first), gradient(*evidence, theta, second));
  const std::vector<double> whole = gradient(*evidence, theta, sum_of(first, second));
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(whole[i], parts[i], 1e-11 * std::max(1.0, norm(whole)));

  // Chunks asked for one by one give the bits they give together: threads rely on it.
  std::vector<double> padded = first;
  padded.resize(12, 0.0);
  const Answers together = ask(*evidence, theta, first);
  for (Index chunk = 0; chunk < 3; ++chunk) {
    std::vector<double> log_ratio(as_size(kChunk)), distance(as_size(kChunk)), row(theta.size());
    evidence->compare(theta, chunk, chunk + 1, log_ratio.data(), distance.data());
    evidence->weighted_gradient(theta, padded.data() + chunk * kChunk, chunk, chunk + 1, row.data());
    EXPECT_EQ(bits(log_ratio), bits(std::span(together.log_ratio).subspan(as_size(chunk * kChunk), as_size(kChunk))));
    EXPECT_EQ(bits(distance), bits(std::span(together.distance).subspan(as_size(chunk * kChunk), as_size(kChunk))));
    EXPECT_EQ(bits(row), bits(std::span(together.rows).subspan(as_size(chunk) * row.size(), row.size())));
  }
}

TEST_P(ActionConformance, CreditIsTheRewardToGoOrTheReturn) {
  const std::vector<double> behavior = parameters(1), theta = parameters(2);
  TrajectoryBatch trajectories = batch(behavior, 5, 10);
  const std::vector<double> weights(5, 1.0);
  const auto with = [&](Credit credit, double discount) {
    return gradient(*policy_->digest(behavior, trajectories, discount, credit), theta, weights);
  };
  const std::vector<double> to_go = with(Credit::kRewardToGo, 0.9), whole = with(Credit::kReturn, 0.9);
  EXPECT_NE(bits(to_go), bits(whole));
  EXPECT_NE(bits(to_go), bits(with(Credit::kRewardToGo, 1.0)));
  // Rewarded at the last step only, both are the same.
  for (Index j = 0; j < 5; ++j) {
    for (Index t = trajectories.begin(j); t + 1 < trajectories.begin(j + 1); ++t)
      trajectories.rewards[as_size(t)] = 0.0;
  }
  const std::vector<double> a = with(Credit::kRewardToGo, 0.9), b = with(Credit::kReturn, 0.9);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12 * std::max(1.0, norm(b)));
}

TEST_P(PolicyConformance, EvidenceIsRestoredFromItsNumbers) {
  const std::vector<double> behavior = parameters(1), theta = parameters(2), weights = random_numbers(6, 1.0, 3);
  const auto evidence = digest(behavior, batch(behavior, 6, 11));
  const auto restored = policy_->restore(behavior, 6, evidence->numbers());
  EXPECT_EQ(bits(restored->numbers()), bits(evidence->numbers()));
  EXPECT_EQ(bits(ask(*restored, theta, weights).log_ratio), bits(ask(*evidence, theta, weights).log_ratio));
  EXPECT_EQ(bits(ask(*restored, theta, weights).rows), bits(ask(*evidence, theta, weights).rows));
  expect_throw([&] { policy_->restore(behavior, 6, evidence->numbers().first(evidence->numbers().size() - 1)); },
               "the size of the saved evidence does not match its policy");
}

TEST_P(PolicyConformance, SimulatedAndToldTrajectoriesGiveTheSameEvidence) {
  Configuration configuration = configured({"policy.bias=true", "env.id=CartPole", "env.discount=0.97"});
  for (const std::string& setting : GetParam().settings) apply_setting(configuration, setting);
  const EnvironmentDefinition environment = make_environment(configuration);
  const auto policy = make_policy(configuration, environment);
  const std::vector<double> theta =
      sum_of(policy->initial_parameters(2), random_numbers(policy->parameter_count(), 0.1, 2));
  const Workers workers;
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn, Credit::kOne}) {
    Collector collector(environment, *policy, {.seed = 6, .lanes = 8, .credit = credit}, workers);
    const TrajectoryBatch steps = collector.collect_steps(theta, 1, 0, 19);
    EXPECT_EQ(bits(collector.collect(theta, 1, 0, 19).evidence->numbers()),
              bits(policy->digest(theta, steps, environment.discount, credit)->numbers()));
  }
}

std::vector<Subject> drawing_actions() {
  std::vector<Subject> subjects;
  for (const PolicyEntry& entry : policies()) subjects.push_back({entry.name, {"policy.kind=" + entry.name}});
  return subjects;
}

/// Every policy, and a hyperpolicy over each, with fixed and with learned deviations.
std::vector<Subject> all_policies() {
  std::vector<Subject> subjects = drawing_actions();
  for (const PolicyEntry& entry : policies()) {
    const std::vector<std::string> settings = {"policy.kind=" + entry.name, "algo.name=pgpe"};
    subjects.push_back({"hyper-" + entry.name, settings});
    subjects.push_back({"learned-hyper-" + entry.name, settings});
    subjects.back().settings.push_back("hyperpolicy.learn_deviation=true");
  }
  return subjects;
}

std::string test_name(const testing::TestParamInfo<Subject>& subject) {
  std::string name = subject.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Policies, PolicyConformance, testing::ValuesIn(all_policies()), test_name);
INSTANTIATE_TEST_SUITE_P(Policies, ActionConformance, testing::ValuesIn(drawing_actions()), test_name);

}  // namespace
}  // namespace retropg::test
