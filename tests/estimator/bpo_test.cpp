#include "retropg/estimator/bpo.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "retropg/policy/mlp_gaussian.hpp"
#include "support/bits.hpp"
#include "support/drift_environment.hpp"
#include "support/expect_throw.hpp"
#include "support/laboratory.hpp"
#include "support/random_batch.hpp"
#include "support/relative.hpp"

namespace retropg::test {
namespace {

const LinearGaussianOptions kPolicy{
    .observation_size = 2, .action_size = 2, .variance = {0.4, 0.9}, .bias = true, .evidence = EvidenceKind::kSteps};
const std::vector<double> kTheta{0.3, -0.2, 0.1, 0.4, 0.0, -0.5};

/// sum_n W_n log q(tau_n), q the policy at theta with its actions `spread` times as far from the mean.
double cross_entropy(const TrajectoryBatch& batch, const std::vector<double>& weights, Parameters theta,
                     double spread) {
  LinearGaussianOptions wide = kPolicy;
  for (double& variance : wide.variance) variance *= spread * spread;
  double sum = 0.0;
  for (Index j = 0; j < batch.size(); ++j)
    sum += weights[as_size(j)] * reference::log_likelihood(wide, theta, batch, j);
  return sum;
}

class BehaviorFit : public testing::Test {
 protected:
  BehaviorFit() : sum_(workers_), policy_(linear_gaussian(kPolicy)) {
    for (double& weight : weights_) weight = std::abs(weight);
  }

  FittedBehavior fit(const TrajectoryBatch& batch, std::vector<double> weights, BehaviorFitOptions options = {}) {
    const auto evidence = policy_->digest(kTheta, batch, 1.0, Credit::kRewardToGo);
    weights.resize(as_size(chunk_count(batch.size()) * kChunk), 0.0);
    const WeightedBatch data{.evidence = &as<StepwiseEvidence>(*evidence), .weights = std::move(weights)};
    return fit_behavior(*policy_, kTheta, std::span(&data, 1), options, sum_);
  }

  const Workers workers_;
  const OrderedSum sum_;
  const std::unique_ptr<Policy> policy_;
  const TrajectoryBatch batch_ = random_batch(kPolicy, kTheta, 21, 9, 8);
  std::vector<double> weights_ = random_numbers(21, 1.0, 9);
};

TEST_F(BehaviorFit, IsStationaryInEveryDirection) {
  const FittedBehavior fitted = fit(batch_, weights_);
  ASSERT_NE(fitted.theta, kTheta);
  const double h = 1e-5, scale = std::abs(cross_entropy(batch_, weights_, fitted.theta, fitted.spread));
  for (std::size_t i = 0; i < kTheta.size(); ++i) {
    std::vector<double> up = fitted.theta, down = fitted.theta;
    up[i] += h;
    down[i] -= h;
    const double slope =
        (cross_entropy(batch_, weights_, up, fitted.spread) - cross_entropy(batch_, weights_, down, fitted.spread)) /
        (2.0 * h);
    EXPECT_NEAR(slope, 0.0, 1e-8 * scale) << "parameter " << i;
  }
  const double slope = (cross_entropy(batch_, weights_, fitted.theta, fitted.spread + h) -
                        cross_entropy(batch_, weights_, fitted.theta, fitted.spread - h)) /
                       (2.0 * h);
  EXPECT_NEAR(slope, 0.0, 1e-8 * scale);
}

TEST_F(BehaviorFit, TendsToThePolicyUnderEqualWeights) {
  // The error of a maximum-likelihood fit falls with the root of the steps: 4000 trajectories of 5 steps on average
  // give standard errors below 0.02 for every number here; 0.1 is five of them.
  const TrajectoryBatch many = random_batch(kPolicy, kTheta, 4000, 9, 10);
  const FittedBehavior fitted = fit(many, std::vector<double>(4000, 1.0));
  for (std::size_t i = 0; i < kTheta.size(); ++i) EXPECT_NEAR(fitted.theta[i], kTheta[i], 0.1);
  EXPECT_NEAR(fitted.spread, 1.0, 0.05);
}

TEST_F(BehaviorFit, KeepsItsSpreadWithinLimits) {
  EXPECT_EQ(fit(batch_, weights_, {.spread_low = 2.5, .spread_high = 3.0}).spread, 2.5);
  EXPECT_EQ(fit(batch_, weights_, {.spread_low = 0.1, .spread_high = 0.2}).spread, 0.2);
}

TEST_F(BehaviorFit, IsThePolicyItselfWhereTheDataSayNothing) {
  const FittedBehavior none = fit(batch_, std::vector<double>(21, 0.0));
  EXPECT_EQ(bits(none.theta), bits(kTheta));
  EXPECT_EQ(none.spread, 1.0);
  const FittedBehavior one_step = fit(pick(random_batch(kPolicy, kTheta, 1, 1, 3), std::vector<Index>{0}), {1.0});
  EXPECT_EQ(bits(one_step.theta), bits(kTheta)) << "one observation does not determine three features";
  std::vector<double> broken = weights_;
  broken[3] = std::nan("");
  EXPECT_EQ(bits(fit(batch_, broken).theta), bits(kTheta));
}

TEST(BehaviorFitOfANetwork, ClimbsTheCrossEntropy) {
  const auto policy = mlp_gaussian({.observation_size = 2, .action_size = 2, .hidden = {5}, .variance = {0.4}});
  const std::vector<double> theta = policy->initial_parameters(3);
  const LinearGaussianOptions other{.observation_size = 2, .action_size = 2, .variance = {0.4}};
  const TrajectoryBatch batch = random_batch(other, std::vector{0.8, -0.5, 0.3, 0.9}, 40, 9, 4);
  const auto evidence = policy->digest(theta, batch, 1.0, Credit::kRewardToGo);
  const auto& steps = as<StepwiseEvidence>(*evidence);
  const WeightedBatch data{.evidence = &steps, .weights = std::vector<double>(40, 1.0)};
  const Workers workers;
  const OrderedSum sum(workers);
  const auto loss = [&](Parameters at_theta) {
    std::vector<double> log_densities(as_size(batch.steps()));
    steps.step_log_densities(at_theta, 0, chunk_count(40), log_densities.data());
    double total = 0.0;
    for (const double log_density : log_densities) total -= log_density;
    return total;
  };
  const FittedBehavior fitted = fit_behavior(*policy, theta, std::span(&data, 1),
                                             {.steps = 300, .rate = 0.01, .decay = 0.0, .divergence = 0.0}, sum);
  EXPECT_LT(loss(fitted.theta), 0.7 * loss(theta));
  const FittedBehavior decayed = fit_behavior(*policy, theta, std::span(&data, 1),
                                              {.steps = 300, .rate = 0.01, .decay = 1e6, .divergence = 0.0}, sum);
  EXPECT_LT(norm(decayed.theta), 0.1 * norm(theta)) << "the decay wins";
  // The fit ends where trajectories are one nat away, 40 of them.
  const auto divergence = [&](Parameters fitted_theta) {
    std::vector<double> divergences(as_size(batch.steps()));
    steps.step_divergences(theta, fitted_theta, 0, chunk_count(40), divergences.data());
    double total = 0.0;
    for (const double one : divergences) total += one;
    return total;
  };
  const FittedBehavior near = fit_behavior(*policy, theta, std::span(&data, 1),
                                           {.steps = 300, .rate = 0.01, .decay = 1e6, .divergence = 1.0}, sum);
  EXPECT_NE(near.theta, theta);
  EXPECT_LE(divergence(near.theta), 40.0);
  EXPECT_GT(divergence(decayed.theta), 40.0);
  EXPECT_EQ(fit_behavior(*policy, theta, std::span(&data, 1), {.steps = 0}, sum).theta, theta);
  EXPECT_EQ(fit_behavior(*policy, theta, std::span(&data, 1), {.tolerance = 1e9}, sum).theta, theta);
}

TEST(GradientNorms, AreThoseOfSingleTrajectories) {
  const auto policy = linear_gaussian(kPolicy);
  const TrajectoryBatch batch = random_batch(kPolicy, kTheta, 7, 9, 8);
  const std::vector<double> theta = sum_of(kTheta, random_numbers(6, 0.1, 2));
  const Workers workers;
  const std::vector<double> norms =
      gradient_norms(*policy->digest(kTheta, batch, 0.9, Credit::kRewardToGo), theta, OrderedSum(workers));
  ASSERT_EQ(norms.size(), 7U);
  for (Index j = 0; j < 7; ++j) {
    const double expected = norm(reference::gradient(kPolicy, theta, batch, j, 0.9, Credit::kRewardToGo));
    EXPECT_NEAR(norms[as_size(j)], expected, 1e-12 * expected);
  }
}

class Bpo : public testing::Test {
 protected:
  Laboratory lab_{drift(), {.variance = {0.4}, .bias = true, .evidence = EvidenceKind::kSteps}, 5};
  const std::vector<double> theta_{0.2, -0.1, 0.3};
};

TEST_F(Bpo, IsGpomdpInItsFirstIterationAndWhereAllIsDefensive) {
  const auto first = bpo(lab_.policy(), {.batch = 9});
  expect_relative(lab_.iterate(*first, theta_, 1).gradient, lab_.gpomdp(theta_, 1, 9), 1e-12);
  const auto defensive = bpo(lab_.policy(), {.batch = 9, .defensive = 1.0});
  for (Index k = 1; k <= 3; ++k) {
    const std::vector<double> theta = sum_of(theta_, random_numbers(3, 0.1, static_cast<std::uint64_t>(k)));
    const Estimate estimate = lab_.iterate(*defensive, theta, k);
    expect_relative(estimate.gradient, lab_.gpomdp(theta, k, 9), 1e-12);
  }
}

TEST_F(Bpo, DrawsAShareFromTheCurrentPolicyAndTheRestFromTheFit) {
  const auto estimator = bpo(lab_.policy(), {.batch = 10, .defensive = 0.3});
  lab_.iterate(*estimator, theta_, 1);
  const std::vector<double> next = sum_of(theta_, {0.1, 0.1, -0.1});
  const std::vector<Draw> draws = estimator->plan(2, next, 1000, lab_.sum());
  ASSERT_EQ(draws.size(), 2U);
  EXPECT_EQ(draws[0].count, 7);
  EXPECT_NE(draws[0].behavior, next);
  EXPECT_NE(draws[0].spread, 1.0);
  EXPECT_EQ(draws[1].count, 3);
  EXPECT_EQ(draws[1].behavior, next);
  EXPECT_EQ(draws[1].spread, 1.0);
  EXPECT_EQ(estimator->plan(2, next, 1, lab_.sum()).size(), 1U);
  EXPECT_EQ(estimator->plan(2, next, 1, lab_.sum())[0].behavior, next) << "the curve needs the current policy";
}

TEST_F(Bpo, FitsToGradientNormsTimesWeightsOfTheNextParameters) {
  // W_n = ||g(tau_n)|| p_theta(tau_n) / sum_h a_h p_h(tau_n), where the data are those of an earlier theta.
  const auto estimator = bpo(lab_.policy(), {.batch = 9});
  lab_.iterate(*estimator, theta_, 1);
  const std::vector<double> next = sum_of(theta_, {0.2, -0.1, 0.1});
  const Draw draw = estimator->plan(2, next, 1000, lab_.sum())[0];

  const TrajectoryBatch batch = lab_.collect_steps(theta_, 1, 9);
  std::vector<double> weights;
  for (Index j = 0; j < 9; ++j) {
    const double log_ratio = reference::log_likelihood(lab_.options(), next, batch, j) -
                             reference::log_likelihood(lab_.options(), theta_, batch, j);
    weights.push_back(std::exp(log_ratio) *
                      norm(reference::gradient(lab_.options(), next, batch, j, 0.95, Credit::kRewardToGo)));
  }
  weights.resize(12, 0.0);
  const auto evidence = lab_.policy().digest(theta_, batch, 0.95, Credit::kRewardToGo);
  const WeightedBatch data{.evidence = &as<StepwiseEvidence>(*evidence), .weights = weights};
  const FittedBehavior expected = fit_behavior(lab_.policy(), next, std::span(&data, 1), {}, lab_.sum());
  expect_relative(draw.behavior, expected.theta, 1e-9);
  EXPECT_NEAR(draw.spread, expected.spread, 1e-9);
}

TEST_F(Bpo, WeighsNoTrajectoryMoreThanTheDefensiveShareAllows) {
  const auto estimator = bpo(lab_.policy(), {.batch = 20, .defensive = 0.25});
  for (Index k = 1; k <= 6; ++k) {
    const std::vector<double> theta = sum_of(theta_, random_numbers(3, 0.2, static_cast<std::uint64_t>(k)));
    EXPECT_LE(lab_.iterate(*estimator, theta, k).diagnostics.weight_max, 4.0 * (1.0 + 1e-12));
  }
}

TEST_F(Bpo, ReusesAsManyIterationsAsTheWindowAllows) {
  const auto used = [&](bool reuse, Index window) {
    const auto estimator = bpo(lab_.policy(), {.batch = 10, .reuse = reuse, .window = window});
    double most = 0.0;
    for (Index k = 1; k <= 6; ++k) {
      most = std::max(most, lab_.iterate(*estimator, theta_, k).diagnostics.effective_sample_size);
    }
    return most;
  };
  EXPECT_LE(used(false, 8), 10.0 * (1.0 + 1e-12));
  EXPECT_LE(used(true, 1), 10.0 * (1.0 + 1e-12));
  EXPECT_LE(used(true, 3), 30.0 * (1.0 + 1e-12));
  EXPECT_GT(used(true, 3), 20.0);
  EXPECT_GT(used(true, kFullReuse), 45.0);
}

TEST_F(Bpo, RefusesWhatCannotBe) {
  expect_throw([&] { bpo(lab_.policy(), {.batch = 0}); }, "at least one trajectory");
  expect_throw([&] { bpo(lab_.policy(), {.defensive = 1.1}); }, "[0, 1]");
  expect_throw([&] { bpo(lab_.policy(), {.window = -1}); }, "at least one batch");
  expect_throw([&] { bpo(lab_.policy(), {.fit = {.spread_low = 2.0, .spread_high = 1.0}}); }, "in ascending order");
}

}  // namespace
}  // namespace retropg::test
