// Identities of parameter-based exploration: set-ups in which estimators must give the same numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "retropg/core/numerics.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/policy/hyperpolicy.hpp"
#include "retropg/rollout/collector.hpp"
#include "retropg/configuration/registry.hpp"
#include "support/bits.hpp"
#include "support/drift_environment.hpp"
#include "support/evidence_answers.hpp"
#include "support/random_batch.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr Index kBatch = 7;

/// A hyperpolicy over a linear policy with bias on Drift, and what collects for it.
class HyperLaboratory {
 public:
  explicit HyperLaboratory(bool learned = false)
      : environment_(drift()),
        policy_(hyperpolicy(linear_gaussian({.observation_size = 2, .action_size = 1, .bias = true}),
                            {.variance = {0.4}, .learn_deviation = learned})),
        sum_(workers_),
        collector_(environment_, *policy_, {.seed = 5, .credit = Credit::kReturn}, workers_) {}

  const Policy& policy() const { return *policy_; }
  const OrderedSum& sum() const { return sum_; }

  std::unique_ptr<Estimator> make(const std::string& algorithm, Index window,
                                  std::vector<std::string> settings = {}) const {
    settings.insert(settings.end(), {"algo.name=" + algorithm, "algo.batch=" + std::to_string(kBatch),
                                     "algo.window=" + std::to_string(window)});
    return make_estimator(configured(settings), environment_, *policy_);
  }

  /// Means and, if learned, deviations that wander as in a training run.
  std::vector<double> iterate_of(Index k) const {
    return sum_of(policy_->initial_parameters(1),
                  random_numbers(policy_->parameter_count(), 0.15, static_cast<std::uint64_t>(k)));
  }

  Batch collect(const std::vector<double>& xi, Index k) {
    Batch batch = batch_of(collector_.collect(xi, k, 0, kBatch));
    batch.behavior = xi;
    return batch;
  }

  Estimate iterate(Estimator& estimator, const std::vector<double>& xi, Index k) {
    std::vector<Batch> fresh;
    fresh.push_back(collect(xi, k));
    Estimate estimate = estimator.estimate(xi, std::move(fresh), sum_);
    estimator.keep();
    return estimate;
  }

  std::vector<double> pgpe(const std::vector<double>& xi, Index k) { return iterate(*make("pgpe", 1), xi, k).gradient; }

 private:
  EnvironmentDefinition environment_;
  std::unique_ptr<Policy> policy_;
  Workers workers_;
  OrderedSum sum_;
  Collector collector_;
};

const std::vector<std::string> kReuse = {"pb-rpg", "pb-miw", "pb-bh"};

void expect_relative(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * norm(b)) << "parameter " << i;
}

TEST(HyperIdentities, PgpeIsTheMeanOfReturnsTimesScores) {
  for (const bool learned : {false, true}) {
    HyperLaboratory lab(learned);
    const std::vector<double> xi = lab.iterate_of(1);
    const Batch batch = lab.collect(xi, 1);
    std::vector<double> expected(xi.size(), 0.0);
    for (std::size_t j = 0; j < as_size(kBatch); ++j) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double sigma = learned ? std::exp(xi[3 + i]) : std::sqrt(0.4);
        const double z = (batch.evidence->numbers()[4 * j + i] - xi[i]) / sigma;  // theta and the return: 4 numbers
        const double weight = batch.returns[j] / static_cast<double>(kBatch);
        expected[i] += weight * z / sigma;
        if (learned) expected[3 + i] += weight * (z * z - 1.0);
      }
    }
    expect_relative(lab.pgpe(xi, 1), expected, 1e-12);
  }
}

TEST(HyperIdentities, AWindowOfOneIsPgpe) {
  for (const bool learned : {false, true}) {
    HyperLaboratory lab(learned);
    for (const std::string& name : kReuse) {
      SCOPED_TRACE(name);
      const auto estimator = lab.make(name, 1), wide = lab.make(name, 8);
      for (Index k = 1; k <= 4; ++k) {
        const Estimate estimate = lab.iterate(*estimator, lab.iterate_of(k), k);
        expect_relative(estimate.gradient, lab.pgpe(lab.iterate_of(k), k), 1e-12);
        EXPECT_NEAR(estimate.diagnostics.weight_mean, 1.0, 1e-12);
      }
      expect_relative(lab.iterate(*wide, lab.iterate_of(1), 1).gradient, lab.pgpe(lab.iterate_of(1), 1), 1e-12);
    }
  }
}

TEST(HyperIdentities, AStepOfNothingGivesTheMeanOfPgpeOverTheWindow) {
  for (const bool learned : {false, true}) {
    HyperLaboratory lab(learned);
    const std::vector<double> xi = lab.iterate_of(1);
    std::vector<double> expected(xi.size(), 0.0);
    for (Index k = 3; k <= 6; ++k) {
      const std::vector<double> one = lab.pgpe(xi, k);
      for (std::size_t i = 0; i < xi.size(); ++i) expected[i] += one[i] / 4.0;
    }
    for (const std::string& name : kReuse) {
      SCOPED_TRACE(name);
      const auto estimator = lab.make(name, 4);
      std::vector<double> last;
      for (Index k = 1; k <= 6; ++k) last = lab.iterate(*estimator, xi, k).gradient;
      expect_relative(last, expected, 1e-12);
    }
  }
}

TEST(HyperIdentities, NoCorrectionIsPbMiw) {
  HyperLaboratory lab;
  const auto miw = lab.make("pb-miw", 4);
  const auto power_mean = lab.make("pb-rpg", 4, {"algo.coefficients=explicit", "algo.lambda=[0]"});
  for (Index k = 1; k <= 6; ++k) {
    expect_relative(lab.iterate(*power_mean, lab.iterate_of(k), k).gradient,
                    lab.iterate(*miw, lab.iterate_of(k), k).gradient, 1e-12);
  }
}

TEST(HyperIdentities, DivergencesAreExactWhateverWasDrawn) {
  HyperLaboratory lab;
  const auto estimator = lab.make("pb-rpg", 4);
  for (Index k = 1; k <= 6; ++k) {
    const Diagnostics d = lab.iterate(*estimator, lab.iterate_of(k), k).diagnostics;
    for (const BatchDiagnostics& batch : d.batches) {
      const std::vector<double> xi = lab.iterate_of(k), behavior = lab.iterate_of(k - batch.age);
      double distance = 0.0;
      for (std::size_t i = 0; i < 3; ++i) distance += std::pow(xi[i] - behavior[i], 2) / 0.4;
      EXPECT_NEAR(batch.log_divergence, distance, 1e-13) << "age " << batch.age;
    }
  }
}

TEST(HyperIdentities, NoTrajectoryWeighsMoreThanTheInverseOfLambda) {
  HyperLaboratory lab;
  Window window(kFullReuse);
  for (Index k = 1; k <= 4; ++k) window.push(lab.iterate_of(k), lab.collect(lab.iterate_of(k), k).evidence);
  for (const double lambda : {0.2, 0.8}) {
    WindowedGradient gradient(multiple_power_mean({.rule = CoefficientRule::kExplicit, .lambda = {lambda}}));
    gradient(window, lab.iterate_of(4), lab.sum());
    double highest = 0.0;
    for (const double c : gradient.weights().c) highest = std::max(highest, 4.0 * static_cast<double>(kBatch) * c);
    EXPECT_LE(highest, 1.0 / lambda);
    EXPECT_GT(highest, 1.0 + 0.1 * (1.0 / lambda - 1.0)) << "and it comes some way from 1 to the bound";
  }
}

TEST(HyperIdentities, ABatchAtAnInfiniteDistanceHasNoShareAndDoesNoHarm) {
  HyperLaboratory lab(true);
  const std::vector<double> wide = lab.iterate_of(2);
  std::vector<double> narrow = wide;
  for (std::size_t i = 3; i < 6; ++i) narrow[i] -= 0.5;  // a variance of 1 / e of the other
  for (const std::string& name : kReuse) {
    const auto estimator = lab.make(name, 4);
    lab.iterate(*estimator, narrow, 1);
    const Estimate estimate = lab.iterate(*estimator, wide, 2);
    EXPECT_TRUE(all_finite(estimate.gradient)) << name;
    EXPECT_TRUE(std::isinf(estimate.diagnostics.log_divergence_max)) << name;
    if (name != "pb-rpg") continue;
    EXPECT_EQ(estimate.diagnostics.batches.at(1).alpha, 0.0);
    EXPECT_EQ(estimate.diagnostics.batches.at(1).lambda, 0.0);
    expect_relative(estimate.gradient, lab.pgpe(wide, 2), 1e-12);
  }
}

TEST(HyperIdentities, AnEstimateDoesNotDependOnTheLengthOfTheTrajectories) {
  // The same draws and returns as one step each, and as 1 to 9 steps of which the last is rewarded.
  HyperLaboratory lab;
  const std::vector<double> xi = lab.iterate_of(1), later = lab.iterate_of(2), weights(5, 0.2);
  TrajectoryBatch quick{.observation_size = 2, .action_size = 1}, slow = quick;
  quick.sampled = slow.sampled = random_numbers(15, 1.0, 3);
  for (Index j = 0; j < 5; ++j) {
    const double reward = 1.5 - static_cast<double>(j);
    quick.add(std::vector{0.0, 0.0}, std::vector{0.0}, reward);
    quick.close();
    for (Index t = 0; t < 2 * j; ++t) slow.add(random_numbers(2, 1.0, as_size(t)), std::vector{0.3}, 0.0);
    slow.add(std::vector{0.1, 0.2}, std::vector{0.3}, reward);
    slow.close();
  }
  const auto a = lab.policy().digest(xi, quick, 1.0, Credit::kReturn);
  const auto b = lab.policy().digest(xi, slow, 1.0, Credit::kReturn);
  EXPECT_EQ(bits(a->numbers()), bits(b->numbers()));
  EXPECT_EQ(bits(ask(*a, later, weights).rows), bits(ask(*b, later, weights).rows));
}

}  // namespace
}  // namespace retropg::test
