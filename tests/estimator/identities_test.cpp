// The identities of the specification: set-ups in which different estimators must give the same numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "retropg/core/numerics.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/configuration/registry.hpp"
#include "support/drift_environment.hpp"
#include "support/evidence_answers.hpp"
#include "support/laboratory.hpp"
#include "support/random_batch.hpp"
#include "support/relative.hpp"
#include "support/scripted_evidence.hpp"

namespace retropg::test {
namespace {

constexpr Index kBatch = 7;

Laboratory laboratory(DriftReward reward = DriftReward::kEveryStep, double discount = 0.95) {
  return Laboratory(drift(reward, discount), {.variance = {0.4}, .bias = true}, 5);
}

/// Parameters that wander as in a training run.
std::vector<double> iterate_of(Index k) {
  return random_numbers(3, 0.15, static_cast<std::uint64_t>(k));
}

/// A weight rule and how the failure message calls it.
struct Rule {
  std::string name;
  std::function<std::unique_ptr<WeightRule>()> make;
};

std::vector<Rule> all_rules() {
  std::vector<Rule> rules = {{"miw", multiple_importance_weights}, {"bh", balance_heuristic}};
  const auto add = [&](const std::string& name, const CoefficientOptions& options) {
    rules.push_back({name, [options] { return multiple_power_mean(options); }});
  };
  add("adaptive", {});
  add("adaptive as in the code", {.constant = 4.0 * std::log(5.0) / 3.0});
  for (const double d : {0.5, 8.0}) add("fixed", {.rule = CoefficientRule::kFixed, .divergence_bound = d});
  add("bound-optimal", {.rule = CoefficientRule::kBoundOptimal});
  add("theorem 5.1", {.rule = CoefficientRule::kHistoryIndependent, .divergence_bound = 40.0});
  add("explicit", {.rule = CoefficientRule::kExplicit, .lambda = {0.3, 0.0, 1.0}});
  return rules;
}

Configuration configuration_of(const std::string& algorithm, Index window) {
  Configuration configuration;
  configuration.algo.name = algorithm;
  configuration.algo.batch = kBatch;
  configuration.algo.window = window;
  return configuration;
}

TEST(Identities, AWindowOfOneIsGpomdp) {
  Laboratory lab = laboratory();
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.name);
    const auto estimator = windowed(lab.policy(), {.batch = kBatch, .window = 1}, rule.make());
    for (Index k = 1; k <= 5; ++k) {
      const Estimate estimate = lab.iterate(*estimator, iterate_of(k), k);
      expect_relative(estimate.gradient, lab.gpomdp(iterate_of(k), k, kBatch), 1e-12);
      EXPECT_NEAR(estimate.diagnostics.weight_mean, 1.0, 1e-12);
    }
  }
}

TEST(Identities, EveryReuseAlgorithmOfTheRegistryIsGpomdpInItsFirstIteration) {
  Laboratory lab = laboratory();
  for (const std::string name : {"rpg", "rt-pg", "rpg-theory", "miw-pg", "bh-pg", "gpomdp", "pgt"}) {
    const auto estimator = make_estimator(configuration_of(name, 8), lab.environment(), lab.policy());
    expect_relative(lab.iterate(*estimator, iterate_of(1), 1).gradient, lab.gpomdp(iterate_of(1), 1, kBatch), 1e-12);
  }
}

TEST(Identities, AStepOfNothingGivesTheMeanOfGpomdpOverTheWindow) {
  Laboratory lab = laboratory();
  const std::vector<double> theta = iterate_of(1);
  std::vector<double> expected(3, 0.0);
  for (Index k = 3; k <= 6; ++k) {
    const std::vector<double> one = lab.gpomdp(theta, k, kBatch);
    for (std::size_t i = 0; i < 3; ++i) expected[i] += one[i] / 4.0;
  }
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.name);
    const auto estimator = windowed(lab.policy(), {.batch = kBatch, .window = 4}, rule.make());
    std::vector<double> last;
    for (Index k = 1; k <= 6; ++k) last = lab.iterate(*estimator, theta, k).gradient;
    expect_relative(last, expected, 1e-12);
  }
}

TEST(Identities, AStepOfNothingAveragesOverTrajectoriesAlsoWhenBatchesDiffer) {
  Laboratory lab = laboratory();
  const std::vector<double> theta = iterate_of(1);
  const std::vector<Index> sizes = {3, 7, 1, 5};
  std::vector<double> expected(3, 0.0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::vector<double> one = lab.gpomdp(theta, static_cast<Index>(i) + 1, sizes[i]);
    for (std::size_t p = 0; p < 3; ++p) expected[p] += static_cast<double>(sizes[i]) * one[p] / 16.0;
  }
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.name);
    const auto estimator = windowed(lab.policy(), {.batch = kBatch, .window = 4}, rule.make());
    std::vector<double> last;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      last = lab.iterate(*estimator, theta, static_cast<Index>(i) + 1, sizes[i]).gradient;
    }
    expect_relative(last, expected, 1e-12);
  }
}

TEST(Identities, PgtIsGpomdp) {
  Laboratory lab = laboratory();
  const auto pgt = make_estimator(configuration_of("pgt", 1), lab.environment(), lab.policy());
  const auto gpomdp = make_estimator(configuration_of("gpomdp", 1), lab.environment(), lab.policy());
  for (Index k = 1; k <= 3; ++k) {
    expect_relative(lab.iterate(*pgt, iterate_of(k), k).gradient, lab.iterate(*gpomdp, iterate_of(k), k).gradient,
                    1e-12);
  }
}

TEST(Identities, GpomdpIsTheRunningSumOfScoresTimesRewards) {
  // sum_t gamma^t r_t sum_{l <= t} psi_l, the form of the paper's code.
  Laboratory lab = laboratory();
  const std::vector<double> theta = iterate_of(1);
  const TrajectoryBatch batch = lab.collect_steps(theta, 1, kBatch);
  std::vector<double> expected(3, 0.0);
  for (Index j = 0; j < kBatch; ++j) {
    std::vector<double> running(3, 0.0);
    for (Index t = 0; t < batch.length(j); ++t) {
      const Index step = batch.begin(j) + t;
      const std::vector<double> f = reference::features(lab.options(), reference::observation(batch, step));
      const double mu = reference::mean(lab.options(), theta, reference::observation(batch, step))[0];
      const double reward = std::pow(0.95, static_cast<double>(t)) * batch.rewards[as_size(step)];
      for (std::size_t i = 0; i < 3; ++i) {
        running[i] += (reference::action(batch, step)[0] - mu) / 0.4 * f[i];
        expected[i] += reward * running[i] / static_cast<double>(kBatch);
      }
    }
  }
  expect_relative(lab.gpomdp(theta, 1, kBatch), expected, 1e-12);
}

/// REINFORCE and GPOMDP on the same trajectories.
std::pair<std::vector<double>, std::vector<double>> reinforce_and_gpomdp(Laboratory lab) {
  const auto reinforce = make_estimator(configuration_of("reinforce", 1), lab.environment(), lab.policy());
  return {lab.iterate(*reinforce, iterate_of(1), 1).gradient, lab.gpomdp(iterate_of(1), 1, kBatch)};
}

TEST(Identities, ReinforceIsGpomdpWhenOnlyTheLastStepIsRewarded) {
  for (const double discount : {1.0, 0.9}) {
    const auto [reinforce, gpomdp] = reinforce_and_gpomdp(laboratory(DriftReward::kLastStep, discount));
    expect_relative(reinforce, gpomdp, 1e-12);
  }
}

TEST(Identities, ReinforceIsGpomdpWithAHorizonOfOne) {
  EnvironmentDefinition environment = drift();
  environment.horizon = 1;
  const auto [reinforce, gpomdp] = reinforce_and_gpomdp(Laboratory(environment, {.variance = {0.4}, .bias = true}, 5));
  expect_relative(reinforce, gpomdp, 1e-12);
}

TEST(Identities, ReinforceIsNotGpomdpOtherwise) {
  const auto [reinforce, gpomdp] = reinforce_and_gpomdp(laboratory());
  EXPECT_GT(relative_difference(reinforce, gpomdp), 0.1);
}

/// The estimate of a rule on a window of four batches of different iterates, at the newest of them.
class OnAWindow {
 public:
  OnAWindow() : lab_(laboratory()), window_(kFullReuse) {
    for (Index k = 1; k <= 4; ++k) lab_.push(window_, iterate_of(k), k, kBatch);
  }

  Estimate operator()(std::unique_ptr<WeightRule> rule) {
    WindowedGradient gradient(std::move(rule));
    const Estimate estimate = gradient(window_, iterate_of(4), lab_.sum());
    weights_ = gradient.weights();
    return estimate;
  }

  /// Of the last call.
  const Weights& weights() const { return weights_; }
  const Window& window() const { return window_; }
  Laboratory& lab() { return lab_; }

 private:
  Laboratory lab_;
  Window window_;
  Weights weights_;
};

std::unique_ptr<WeightRule> fixed(double divergence_bound) {
  return multiple_power_mean({.rule = CoefficientRule::kFixed, .divergence_bound = divergence_bound});
}

TEST(Identities, NoCorrectionIsMiw) {
  OnAWindow estimate;
  const std::vector<double> miw = estimate(multiple_importance_weights()).gradient;
  const CoefficientOptions none{.rule = CoefficientRule::kExplicit, .lambda = {0.0}};
  expect_relative(estimate(multiple_power_mean(none)).gradient, miw, 1e-12);
}

TEST(Identities, RpgTheoryTendsToMiwAsItsBoundGrows) {
  OnAWindow estimate;
  const std::vector<double> miw = estimate(multiple_importance_weights()).gradient;
  // lambda, and with it the difference, falls with the root of D.
  const double wide = relative_difference(estimate(fixed(1e8)).gradient, miw);
  const double wider = relative_difference(estimate(fixed(1e12)).gradient, miw);
  EXPECT_LT(wide, 1e-4);
  EXPECT_GT(wide, 1e-8);
  EXPECT_NEAR(wide / wider, 100.0, 1.0);
  EXPECT_GT(relative_difference(estimate(fixed(1.0)).gradient, miw), 1e-3);  // no wonder: it is not MIW at D = 1
}

TEST(Identities, RpgTheoryWithDTimesTrajectoriesOneIsTheUncorrectedAverage) {
  OnAWindow estimate;
  std::vector<double> expected(3, 0.0);
  for (const WindowEntry& entry : estimate.window().entries()) {
    const std::vector<double> weights(as_size(kBatch), 1.0 / 28.0);
    const std::vector<double> one = gradient(*entry.evidence, iterate_of(4), weights);
    for (std::size_t i = 0; i < 3; ++i) expected[i] += one[i];
  }
  expect_relative(estimate(fixed(1.0 / 28.0)).gradient, expected, 1e-12);
  expect_relative(estimate(fixed(1e-6)).gradient, expected, 1e-12);  // lambda is cut off at 1
  EXPECT_GT(relative_difference(estimate(multiple_importance_weights()).gradient, expected), 1e-2);
}

TEST(Identities, RpgTheoryIsRpgWhereEveryDivergenceIsOne) {
  // Ratios that differ although the distances are 0: the weights matter, the divergences are 1.
  Window window(kFullReuse);
  window.push({}, std::make_unique<ScriptedEvidence>(std::vector{0.7, -0.4, 1.9}, std::vector(3, 0.0),
                                                     std::vector{1.0, -2.0, 0.5}));
  window.push({}, std::make_unique<ScriptedEvidence>(std::vector{0.0, 0.0, 0.0}, std::vector(3, 0.0),
                                                     std::vector{0.3, 1.0, -4.0}));
  const Workers workers;
  const OrderedSum sum(workers);
  const std::vector<double> theta = {0.0, 0.0};
  const std::vector<double> rpg = WindowedGradient(multiple_power_mean({}))(window, theta, sum).gradient;
  const std::vector<double> theory = WindowedGradient(fixed(1.0))(window, theta, sum).gradient;
  expect_relative(theory, rpg, 1e-14);
  EXPECT_GT(relative_difference(WindowedGradient(fixed(8.0))(window, theta, sum).gradient, rpg), 1e-3);
}

TEST(Identities, TheOrderOfTrajectoriesInABatchDoesNotMatter) {
  Laboratory lab = laboratory();
  const std::vector<Index> order = {4, 2, 6, 0, 1, 5, 3};
  Window window(kFullReuse), permuted(kFullReuse);
  for (Index k = 1; k <= 3; ++k) {
    const std::vector<double> theta = iterate_of(k);
    const TrajectoryBatch batch = lab.collect_steps(theta, k, kBatch);
    window.push(theta, lab.policy().digest(theta, batch, 0.95, Credit::kRewardToGo));
    permuted.push(theta, lab.policy().digest(theta, pick(batch, order), 0.95, Credit::kRewardToGo));
  }
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.name);
    const Estimate one = WindowedGradient(rule.make())(window, iterate_of(3), lab.sum());
    const Estimate other = WindowedGradient(rule.make())(permuted, iterate_of(3), lab.sum());
    expect_relative(other.gradient, one.gradient, 1e-12);
    EXPECT_NEAR(other.diagnostics.effective_sample_size, one.diagnostics.effective_sample_size, 1e-10);
  }
}

TEST(Identities, NoTrajectoryOfRpgWeighsMoreThanItsBound) {
  OnAWindow estimate;
  for (const double c : {1.0, 4.0 * std::log(5.0) / 3.0}) {
    estimate(multiple_power_mean({.constant = c}));
    const Weights& weights = estimate.weights();
    double roots = 0.0;
    for (const double log_d : weights.log_divergence) roots += std::exp(-0.5 * log_d);
    for (const double log_lambda : weights.log_lambda) ASSERT_LT(log_lambda, 0.0);
    const double n = static_cast<double>(kBatch), bound = std::sqrt(4.0 / (c * n)) / roots;
    EXPECT_LE(bound, std::sqrt(4.0 / (c * n)));
    const double highest = *std::ranges::max_element(weights.c);
    EXPECT_LE(highest, bound * (1.0 + 1e-12));
    EXPECT_GT(highest, 0.05 * bound);
  }
}

TEST(Identities, AnEstimateAtTheNewestPolicyIsTheSumOfItsWeightedTrajectories) {
  OnAWindow estimate;
  for (const Rule& rule : all_rules()) {
    SCOPED_TRACE(rule.name);
    const std::vector<double> whole = estimate(rule.make()).gradient;
    std::vector<double> expected(3, 0.0);
    for (Index k = 1; k <= 4; ++k) {
      const TrajectoryBatch batch = estimate.lab().collect_steps(iterate_of(k), k, kBatch);
      for (Index j = 0; j < kBatch; ++j) {
        const double c = estimate.weights().c[as_size((k - 1) * 8 + j)];  // 7 trajectories in 2 chunks
        const std::vector<double> one =
            reference::gradient(estimate.lab().options(), iterate_of(4), batch, j, 0.95, Credit::kRewardToGo);
        for (std::size_t i = 0; i < 3; ++i) expected[i] += c * one[i];
      }
    }
    expect_relative(whole, expected, 1e-11);
  }
}

}  // namespace
}  // namespace retropg::test
