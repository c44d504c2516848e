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
#include "retropg/policy/sampler.hpp"
#include "support/bits.hpp"
#include "support/coin_policy.hpp"
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
  bool discrete = false;

  friend void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }
};

std::vector<Subject> drawing_actions() {
  std::vector<Subject> subjects;
  for (const PolicyEntry& entry : policies()) {
    subjects.push_back({entry.name, {"policy.kind=" + entry.name}, entry.discrete});
  }
  // By itself the linear policy keeps moments here.
  subjects.push_back({"linear-steps", {"policy.kind=linear-gaussian", "policy.evidence=steps"}});
  for (const std::string kind : {"linear-gaussian", "mlp-gaussian"}) {
    subjects.push_back({"learned-" + kind, {"policy.kind=" + kind, "policy.learn_deviation=true"}});
  }
  return subjects;
}

std::vector<Subject> gaussian() {
  std::vector<Subject> subjects = drawing_actions();
  std::erase_if(subjects, [](const Subject& subject) { return subject.discrete; });
  return subjects;
}

/// Every policy, and a hyperpolicy over each, with fixed and with learned deviations.
const std::vector<Subject>& all_policies() {
  static const std::vector<Subject> all = [] {
    std::vector<Subject> subjects = drawing_actions();
    for (const PolicyEntry& entry : policies()) {
      const std::vector<std::string> settings = {"policy.kind=" + entry.name, "algo.name=pgpe"};
      subjects.push_back({"hyper-" + entry.name, settings, entry.discrete});
      subjects.push_back({"learned-hyper-" + entry.name, settings, entry.discrete});
      subjects.back().settings.push_back("hyperpolicy.learn_deviation=true");
    }
    return subjects;
  }();
  return all;
}

class PolicyConformance : public testing::TestWithParam<Subject> {
 protected:
  static constexpr Index kObservations = 3, kActions = 2, kDiscreteActions = 4;

  static std::unique_ptr<Policy> made_from(const Subject& subject, const std::vector<std::string>& more = {}) {
    std::vector<std::string> settings = {"policy.variance=[0.3, 0.8]", "policy.bias=true",
                                         "policy.shift=[0.1, 0.0, -0.3]", "policy.scale=[1.5, 1.0, 0.5]"};
    settings.insert(settings.end(), subject.settings.begin(), subject.settings.end());
    settings.insert(settings.end(), more.begin(), more.end());
    const EnvironmentDefinition environment{.id = "none",
                                            .observation_size = kObservations,
                                            .action_size = subject.discrete ? 1 : kActions,
                                            .horizon = 20,
                                            .make = {},
                                            .action_count = subject.discrete ? kDiscreteActions : 0};
    return make_policy(configured(settings), environment);
  }
  static std::unique_ptr<Policy> make(const std::vector<std::string>& more = {}) { return made_from(GetParam(), more); }

  const std::unique_ptr<Policy> policy_ = make();

  /// Parameters away from where the policy starts.
  std::vector<double> parameters(std::uint64_t seed) const {
    return sum_of(policy_->initial_parameters(seed), random_numbers(policy_->parameter_count(), 0.1, seed));
  }

  /// Trajectories of unequal length with actions around the mean at theta, or of any kind if they are discrete, or with
  /// parameters drawn from it.
  TrajectoryBatch batch(Parameters theta, Index trajectories, std::uint64_t seed) const {
    RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap});
    TrajectoryBatch result{.observation_size = kObservations, .action_size = policy_->action_size()};
    std::vector<double> observation(as_size(kObservations)), action(as_size(policy_->action_size()));
    const auto actor = policy_->actor(kChunk, Acting::kSample);
    for (Index j = 0; j < trajectories; ++j) {
      if (ParameterSampler* sampler = actor->parameter_sampler()) {
        const Parameters drawn = sampler->start(theta, 1.0, 0, random);
        result.sampled.insert(result.sampled.end(), drawn.begin(), drawn.end());
      }
      for (Index t = random.below(12); t >= 0; --t) {
        for (double& number : observation) number = random.normal();
        policy_->mean(theta, observation, action);
        for (double& number : action) {
          number = GetParam().discrete ? static_cast<double>(random.below(kDiscreteActions))
                                       : number + 0.6 * random.normal();
        }
        result.add(observation, action, random.normal());
      }
      result.close();
    }
    return result;
  }

  /// How many of the last parameters are log sigma.
  std::size_t deviation_count() const {
    if (!GetParam().name.starts_with("learned")) return 0;
    return policy_->provides(Capability::kSteps) ? as_size(kActions) : as_size(policy_->parameter_count()) / 2;
  }
  /// sigma of a policy that draws continuous actions.
  double deviation(Parameters theta, std::size_t u) const {
    if (deviation_count() > 0) return std::exp(theta[theta.size() - as_size(kActions) + u]);
    return std::sqrt(u == 0 ? 0.3 : 0.8);
  }

  std::unique_ptr<Evidence> digest(Parameters theta, const TrajectoryBatch& trajectories) const {
    return policy_->digest(theta, trajectories, 0.95, Credit::kRewardToGo);
  }
};

TEST_P(PolicyConformance, StartsFiniteAndTheSameForTheSameSeed) {
  EXPECT_EQ(policy_->observation_size(), kObservations);
  EXPECT_EQ(policy_->action_size(), GetParam().discrete ? 1 : kActions);
  const std::vector<double> theta = policy_->initial_parameters(3);
  EXPECT_EQ(as_index(theta.size()), policy_->parameter_count());
  EXPECT_TRUE(all_finite(theta));
  EXPECT_EQ(bits(make()->initial_parameters(3)), bits(theta));
}

/// Policies that draw actions.
class ActionConformance : public PolicyConformance {};

/// Those that draw them from a Gaussian.
class GaussianConformance : public PolicyConformance {};

TEST_P(GaussianConformance, ActsWithItsMeanPlusAMultipleOfTheNoiseInAnyLane) {
  const std::vector<double> theta = parameters(1), observation = {0.4, -1.1, 0.7}, noise = {0.8, -0.5};
  std::vector<double> mean(as_size(kActions)), expected;
  policy_->mean(theta, observation, mean);
  for (const Index lanes : {4, 8, 20}) {
    const auto actor = policy_->actor(lanes, Acting::kSample);
    for (const Index lane : {Index{0}, Index{3}, lanes - 1}) {
      // The lane's action under a multiple of the noise; its neighbors hold other things.
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
        std::vector<double> actions(as_size(kActions * lanes)), notes(as_size(kActions * lanes)), result;
        actor->act(theta, lanes, observations.data(), pointers.data(), actions.data(), notes.data());
        for (Index u = 0; u < kActions; ++u) result.push_back(actions[as_size(u * lanes + lane)]);
        return result;
      };
      const std::vector<double> once = act(1.0), twice = act(2.0);
      if (expected.empty()) expected = once;
      EXPECT_EQ(bits(once), bits(expected)) << lanes << " lanes, lane " << lane;
      for (std::size_t u = 0; u < 2; ++u) {
        const double sigma = deviation(theta, u);
        EXPECT_NEAR(once[u], mean[u] + sigma * noise[u], 1e-12);
        EXPECT_NEAR(twice[u], mean[u] + 2.0 * sigma * noise[u], 1e-12);
      }
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
    EXPECT_EQ(bits(here.renyi), bits(zeros));
    EXPECT_TRUE(all_finite(there.log_ratio));
    EXPECT_TRUE(all_finite(there.rows));
    for (std::size_t j = 0; j < zeros.size(); ++j) {  // padding alone says nothing
      EXPECT_EQ(there.renyi[j] > 0.0, static_cast<Index>(j) < size);
      EXPECT_EQ(there.log_ratio[j] != 0.0, static_cast<Index>(j) < size);
    }
  }
}

TEST_P(GaussianConformance, LogRatioIsThatOfGaussiansAboutTheMean) {
  const std::vector<double> behavior = parameters(1), theta = parameters(2);
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
        const double sigma = deviation(theta, u), sigma_b = deviation(behavior, u);
        const double narrow = 2.0 * sigma_b * sigma_b - sigma * sigma;  // p^2 / q is a Gaussian, too
        log_ratio += std::log(sigma_b / sigma) + 0.5 * std::pow((action - behavior_mean[u]) / sigma_b, 2) -
                     0.5 * std::pow((action - mean[u]) / sigma, 2);
        distance += std::pow(mean[u] - behavior_mean[u], 2) / narrow +
                    std::log(sigma_b * sigma_b / (sigma * std::sqrt(narrow)));
      }
    }
    EXPECT_NEAR(answers.log_ratio[as_size(j)], log_ratio, 1e-10 * std::max(1.0, std::abs(log_ratio)));
    EXPECT_NEAR(answers.renyi[as_size(j)], distance, 1e-10 * std::max(1.0, distance));
  }
}

TEST_P(PolicyConformance, RenyiDivergenceOfAnyOrderIsThatOfGaussiansOfEqualVariance) {
  if (GetParam().discrete && policy_->provides(Capability::kSteps)) GTEST_SKIP() << "draws discrete actions";
  const std::vector<double> behavior = parameters(1), weights(5, 1.0);
  std::vector<double> theta = parameters(2);
  std::copy_n(behavior.rbegin(), deviation_count(), theta.rbegin());  // equal deviations
  const auto evidence = digest(behavior, batch(behavior, 5, 17));
  const std::vector<double> second = ask(*evidence, theta, weights, 2.0).renyi;
  for (const double order : {1.2, 1.5, 3.0}) {
    if (!policy_->has_renyi(order)) continue;
    const Answers answers = ask(*evidence, theta, weights, order);
    EXPECT_EQ(bits(answers.log_ratio), bits(ask(*evidence, theta, weights, 2.0).log_ratio));
    for (std::size_t j = 0; j < 5; ++j) {
      const double expected = order * (order - 1.0) / 2.0 * second[j];
      EXPECT_NEAR(answers.renyi[j], expected, 1e-12 * expected);
    }
    EXPECT_EQ(bits(ask(*evidence, behavior, weights, order).renyi), bits(std::vector<double>(8, 0.0)));
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
    evidence->compare(theta, 2.0, chunk, chunk + 1, log_ratio.data(), distance.data(), nullptr);
    evidence->weighted_gradient(theta, padded.data() + chunk * kChunk, chunk, chunk + 1, row.data(), nullptr);
    EXPECT_EQ(bits(log_ratio), bits(std::span(together.log_ratio).subspan(as_size(chunk * kChunk), as_size(kChunk))));
    EXPECT_EQ(bits(distance), bits(std::span(together.renyi).subspan(as_size(chunk * kChunk), as_size(kChunk))));
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

TEST_P(PolicyConformance, APassChangesNoBit) {
  const std::vector<double> behavior = parameters(1), theta = parameters(2), weights = random_numbers(9, 1.0, 3);
  const auto evidence = digest(behavior, batch(behavior, 9, 12)), larger = digest(behavior, batch(behavior, 23, 13)),
             other = digest(theta, batch(theta, 9, 14));
  class Foreign final : public EvidencePass {};
  std::unique_ptr<EvidencePass> pass = std::make_unique<Foreign>();  // left by a window of another policy
  // Compares at one theta with a pass, then asks for the gradient at another.
  const auto expect_the_same = [&](const Evidence& asked, Parameters compared, Parameters at) {
    const Index chunks = chunk_count(asked.size());
    std::vector<double> padded = weights;
    padded.resize(as_size(chunks * kChunk), 0.0);
    std::vector<double> log_ratio(padded.size()), renyi(padded.size()), rows(as_size(chunks) * at.size());
    asked.compare(compared, 2.0, 0, chunks, log_ratio.data(), renyi.data(), pass.get());
    asked.weighted_gradient(at, padded.data(), 0, chunks, rows.data(), pass.get());
    EXPECT_EQ(bits(log_ratio), bits(ask(asked, compared, weights).log_ratio));
    EXPECT_EQ(bits(renyi), bits(ask(asked, compared, weights).renyi));
    EXPECT_EQ(bits(rows), bits(ask(asked, at, weights).rows));
  };
  for (const Evidence* asked : {evidence.get(), larger.get(), other.get(), evidence.get()}) {
    for (const std::vector<double>& target : {theta, parameters(3), behavior}) {
      asked->begin_pass(target, pass);
      expect_the_same(*asked, target, target);
      expect_the_same(*asked, target, target);    // it stays good
      expect_the_same(*asked, target, behavior);  // and says nothing about other parameters
      expect_the_same(*asked, parameters(4), target);
      expect_the_same(*asked, parameters(4), parameters(4));
    }
  }
}

TEST_P(PolicyConformance, EvidenceProvidesWhatThePolicySays) {
  const std::vector<double> behavior = parameters(1);
  const TrajectoryBatch trajectories = batch(behavior, 5, 15);
  for (const bool given_credits : {false, true}) {
    const auto evidence = given_credits
                              ? policy_->digest(behavior, trajectories, step_credits(trajectories, 1.0, Credit::kOne))
                              : digest(behavior, trajectories);
    const auto restored = policy_->restore(behavior, 5, evidence->numbers());
    for (const Evidence* each : {evidence.get(), restored.get()}) {
      EXPECT_EQ(dynamic_cast<const StepwiseEvidence*>(each) != nullptr, policy_->provides(Capability::kSteps));
      EXPECT_EQ(dynamic_cast<const FisherEvidence*>(each) != nullptr, policy_->provides(Capability::kFisher));
      EXPECT_EQ(dynamic_cast<const RenyiGradientEvidence*>(each) != nullptr,
                policy_->provides(Capability::kRenyiGradient));
      EXPECT_EQ(dynamic_cast<const DivergenceEvidence*>(each) != nullptr, policy_->provides(Capability::kDivergence));
      EXPECT_EQ(dynamic_cast<const DrawnParametersEvidence*>(each) != nullptr,
                policy_->provides(Capability::kDrawnParameters));
    }
  }
  const std::vector<double> of_components(as_size(trajectories.steps() * policy_->parameter_count()), 1.0);
  if (policy_->provides(Capability::kComponentCredits)) {
    EXPECT_NO_THROW(policy_->digest(behavior, trajectories, of_components));
  } else {
    expect_throw([&] { policy_->digest(behavior, trajectories, of_components); }, "one credit per step");
  }
  const RandomStream random({.seed = 1});
  if (policy_->provides(Capability::kSpread)) {
    EXPECT_NO_THROW(policy_->sample(behavior, random, 1.5));
  } else {
    expect_throw([&] { policy_->sample(behavior, random, 1.5); }, "only supports spread = 1");
  }
  EXPECT_TRUE(policy_->has_renyi(2.0));
}

TEST_P(PolicyConformance, KnowsItsOwnEvidence) {
  const std::vector<double> behavior = parameters(1);
  const TrajectoryBatch trajectories = batch(behavior, 5, 16);
  const auto evidence = digest(behavior, trajectories);
  EXPECT_TRUE(policy_->made(*evidence, behavior));
  EXPECT_TRUE(make()->made(*evidence, behavior)) << "the same policy made again";
  EXPECT_TRUE(policy_->made(*policy_->restore(behavior, 5, evidence->numbers()), behavior));
  if (const Gathering* gathering = policy_->gathering()) {
    EXPECT_TRUE(policy_->made(*gathering->empty_evidence(behavior, 5), behavior));
  }
  std::vector<double> moved = behavior;
  moved.back() += 1e-9;
  EXPECT_FALSE(policy_->made(*evidence, moved)) << "another behavior";
  EXPECT_FALSE(policy_->made(*evidence, Parameters(behavior).first(behavior.size() - 1)));
  EXPECT_FALSE(make({"policy.variance=[0.3, 0.7]", "policy.scale=[1.5, 1.0, 0.6]", "hyperpolicy.variance=[0.7]"})
                   ->made(*evidence, behavior))
      << "another policy of the family";
  EXPECT_FALSE(CoinPolicy(kObservations).made(*evidence, behavior)) << "another family";
  for (const Subject& other : all_policies()) {
    if (other.name == GetParam().name) continue;
    EXPECT_FALSE(made_from(other)->made(*evidence, behavior)) << other.name;
  }
}

TEST_P(PolicyConformance, SimulatedAndToldTrajectoriesGiveTheSameEvidence) {
  Configuration configuration = configured({"policy.bias=true", "env.id=CartPole", "env.discount=0.97"});
  for (const std::string& setting : GetParam().settings) apply_setting(configuration, setting);
  if (GetParam().discrete) configuration.env.id = "CartPole-v1";
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

std::string test_name(const testing::TestParamInfo<Subject>& subject) {
  std::string name = subject.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Policies, PolicyConformance, testing::ValuesIn(all_policies()), test_name);
INSTANTIATE_TEST_SUITE_P(Policies, ActionConformance, testing::ValuesIn(drawing_actions()), test_name);
INSTANTIATE_TEST_SUITE_P(Policies, GaussianConformance, testing::ValuesIn(gaussian()), test_name);

}  // namespace
}  // namespace retropg::test
