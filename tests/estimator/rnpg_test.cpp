#include "retropg/estimator/rnpg.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>
#include <string>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/linear_quadratic.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "support/drift_environment.hpp"
#include "support/expect_throw.hpp"
#include "support/laboratory.hpp"
#include "support/random_batch.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr Index kBatch = 7;
constexpr double kVariance = 0.4;

Laboratory laboratory(LinearGaussianOptions options = {.bias = true}) {
  options.variance = {kVariance};
  return Laboratory(drift(), options, 5);
}

/// Parameters that wander as in a training run.
std::vector<double> iterate_of(Index k) {
  return random_numbers(3, 0.15, static_cast<std::uint64_t>(k));
}

/// mean(f f') / sigma^2 over the decisions of a batch, from the definition.
Eigen::MatrixXd fisher(const LinearGaussianOptions& options, const TrajectoryBatch& batch) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(3, 3);
  for (Index t = 0; t < batch.steps(); ++t) {
    const std::vector<double> f = reference::features(options, reference::observation(batch, t));
    const Eigen::Map<const Eigen::VectorXd> column(f.data(), 3);
    result += column * column.transpose() / (kVariance * static_cast<double>(batch.steps()));
  }
  return result;
}

std::vector<double> solved(Eigen::MatrixXd matrix, double damping, const std::vector<double>& right) {
  matrix.diagonal().array() += damping;
  std::vector<double> result(right.size());
  Eigen::Map<Eigen::VectorXd>(result.data(), 3) =
      matrix.ldlt().solve(Eigen::Map<const Eigen::VectorXd>(right.data(), 3));
  return result;
}

void expect_relative(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * norm(b)) << "parameter " << i;
}

TEST(Rnpg, SolvesTheDampedFisherMatrixOfTheFreshBatchForTheMiwGradientOfTheWindow) {
  Laboratory lab = laboratory();
  for (const double damping : {0.0, 1e-3, 0.7}) {
    const auto natural = rnpg(lab.policy(), {.batch = kBatch, .window = 3, .damping = damping});
    const auto miw = windowed(lab.policy(), {.batch = kBatch, .window = 3}, multiple_importance_weights());
    for (Index k = 1; k <= 5; ++k) {
      const Eigen::MatrixXd matrix = fisher(lab.options(), lab.collect_steps(iterate_of(k), k, kBatch));
      const Estimate got = lab.iterate(*natural, iterate_of(k), k), plain = lab.iterate(*miw, iterate_of(k), k);
      expect_relative(got.gradient, solved(matrix, std::max(1e-8, damping * matrix.trace() / 3.0), plain.gradient),
                      1e-9);
      EXPECT_TRUE(got.parameters.empty()) << "the optimizer takes the step";
      EXPECT_EQ(got.diagnostics.effective_sample_size, plain.diagnostics.effective_sample_size);
    }
  }
}

TEST(Rnpg, WithAWindowOfOneIsTheOrdinaryNaturalGradient) {
  Laboratory lab = laboratory();
  const auto estimator = rnpg(lab.policy(), {.batch = kBatch, .window = 1, .damping = 0.01});
  for (Index k = 1; k <= 3; ++k) {
    const Eigen::MatrixXd matrix = fisher(lab.options(), lab.collect_steps(iterate_of(k), k, kBatch));
    expect_relative(lab.iterate(*estimator, iterate_of(k), k).gradient,
                    solved(matrix, 0.01 * matrix.trace() / 3.0, lab.gpomdp(iterate_of(k), k, kBatch)), 1e-10);
  }
}

TEST(Rnpg, IsMiwPgWhereTheFisherMatrixIsTheIdentity) {
  // The identity counts for everything with a large damping: n = g / epsilon up to 1 / damping.
  Laboratory lab = laboratory();
  const auto miw = windowed(lab.policy(), {.batch = kBatch, .window = 4}, multiple_importance_weights());
  const auto natural = rnpg(lab.policy(), {.batch = kBatch, .window = 4, .damping = 1e9});
  for (Index k = 1; k <= 6; ++k) {
    const std::vector<double> plain = lab.iterate(*miw, iterate_of(k), k).gradient;
    std::vector<double> direction = lab.iterate(*natural, iterate_of(k), k).gradient;
    const double trace = fisher(lab.options(), lab.collect_steps(iterate_of(k), k, kBatch)).trace();
    for (double& number : direction) number *= 1e9 * trace / 3.0;
    expect_relative(direction, plain, 1e-8);
  }
}

TEST(Rnpg, ChangesTheMeansAlikeInAnyBasisOfTheFeatures) {
  // With features A f the same policy has Theta A^{-1}, and the change of the mean n' f(s) must not depend on A.
  Laboratory lab = laboratory({.bias = false});
  Eigen::Matrix2d basis;
  basis << 3.0, -1.0, 0.5, 0.4;
  const auto transformed = [&](TrajectoryBatch batch) {
    for (Index t = 0; t < batch.steps(); ++t) {
      Eigen::Map<Eigen::Vector2d> observation(batch.observations.data() + 2 * t);
      observation = (basis * observation).eval();
    }
    return batch;
  };
  const auto of_plain = rnpg(lab.policy(), {.batch = kBatch, .window = 3, .damping = 0.0});
  const auto of_other = rnpg(lab.policy(), {.batch = kBatch, .window = 3, .damping = 0.0});
  for (Index k = 1; k <= 4; ++k) {
    const std::vector<double> theta = random_numbers(2, 0.3, static_cast<std::uint64_t>(k));
    std::vector<double> same(2), expected(2);
    Eigen::Map<Eigen::Vector2d>(same.data()) =
        basis.transpose().inverse() * Eigen::Map<const Eigen::Vector2d>(theta.data());
    const TrajectoryBatch steps = lab.collect_steps(theta, k, kBatch);
    const auto estimate = [&](Estimator& estimator, const std::vector<double>& at_theta, const TrajectoryBatch& told) {
      std::vector<Batch> fresh;
      fresh.push_back(
          {.behavior = at_theta, .evidence = lab.policy().digest(at_theta, told, 0.95, Credit::kRewardToGo)});
      for (Index j = 0; j < told.size(); ++j) fresh.back().lengths.push_back(told.length(j));
      const Estimate result = estimator.estimate(at_theta, std::move(fresh), lab.sum());
      estimator.keep();
      return result.gradient;
    };
    const std::vector<double> n = estimate(*of_plain, theta, steps);
    const std::vector<double> m = estimate(*of_other, same, transformed(steps));
    Eigen::Map<Eigen::Vector2d>(expected.data()) =
        basis.transpose().inverse() * Eigen::Map<const Eigen::Vector2d>(n.data());
    expect_relative(m, expected, 1e-5);  // the least damping of 1e-8 against eigenvalues of 1e-2
  }
}

TEST(Rnpg, TakesItsOwnStepUpToTheLimitOfTheDivergence) {
  Laboratory lab = laboratory();
  const std::vector<double> theta = iterate_of(1);
  const Eigen::MatrixXd matrix = fisher(lab.options(), lab.collect_steps(theta, 1, kBatch));
  const auto divergence = [&](double rate, double limit) {
    const auto estimator =
        rnpg(lab.policy(), {.batch = kBatch, .window = 1, .damping = 0.01, .step = rate, .kl_limit = limit});
    const Estimate estimate = lab.iterate(*estimator, theta, 1);
    Eigen::VectorXd moved(3), direction(3);
    for (std::size_t i = 0; i < 3; ++i) {
      moved[static_cast<Eigen::Index>(i)] = estimate.parameters.at(i) - theta[i];
      direction[static_cast<Eigen::Index>(i)] = estimate.gradient[i];
    }
    EXPECT_NEAR(moved.normalized().dot(direction.normalized()), 1.0, 1e-10);
    if (limit == 0.0) {
      EXPECT_NEAR(moved.norm(), rate * direction.norm(), 1e-10 * direction.norm());
    }
    return 0.5 * moved.dot(matrix * moved);
  };
  EXPECT_NEAR(divergence(1e3, 0.01), 0.01, 1e-10);
  EXPECT_NEAR(divergence(1e3, 0.5), 0.5, 1e-9);
  EXPECT_NEAR(divergence(1e-6, 0.01), divergence(1e-6, 0.0), 1e-18) << "a short step is not touched";
  EXPECT_GT(divergence(1e3, 0.0), 10.0) << "0 is no limit";
}

TEST(Rnpg, KeepsItsOwnStepsInTheBall) {
  Laboratory lab = laboratory();
  const auto estimator = rnpg(lab.policy(), {.batch = kBatch, .window = 1, .step = 1e3, .projection = 0.125});
  const auto free = rnpg(lab.policy(), {.batch = kBatch, .window = 1, .step = 1e3, .projection = 0.0});
  const std::vector<double> inside = lab.iterate(*estimator, iterate_of(1), 1).parameters;
  const std::vector<double> outside = lab.iterate(*free, iterate_of(1), 1).parameters;
  ASSERT_GT(norm(outside), 0.125);
  EXPECT_NEAR(norm(inside), 0.125, 1e-15);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(inside[i], outside[i] * 0.125 / norm(outside), 1e-15);
}

TEST(Rnpg, SolvesForNetworksToItsTolerance) {
  // 3 x 8 x 8 x 2 with biases: 122 parameters, solved to rounding; more hidden units go through the short solution.
  for (const Index hidden : {8, 16}) {
    const MlpGaussianOptions options{
        .observation_size = 3, .action_size = 2, .hidden = {hidden, 8}, .bias = true, .variance = {0.2, 0.5}};
    const auto policy = mlp_gaussian(options);
    const std::vector<double> theta = random_numbers(policy->parameter_count(), 0.4, 1);
    const TrajectoryBatch steps = random_batch(options, theta, ragged(9, 20, 2), 3);
    const auto evidence = [&] { return policy->digest(theta, steps, 1.0, Credit::kRewardToGo); };
    const Workers workers;
    const OrderedSum sum(workers);
    const auto estimator = rnpg(*policy, {.batch = 9, .window = 1, .damping = 0.1});
    std::vector<Batch> fresh;
    fresh.push_back({.behavior = theta, .evidence = evidence(), .returns = std::vector(9, 0.0)});
    for (Index j = 0; j < 9; ++j) fresh.back().lengths.push_back(steps.length(j));
    const std::vector<double> n = estimator->estimate(theta, std::move(fresh), sum).gradient;

    std::vector<double> weights(12, 0.0), image(theta.size(), 0.0), rows(3 * theta.size()), traces(3);
    std::fill_n(weights.begin(), 9, 1.0 / static_cast<double>(steps.steps()));
    const auto digested = evidence();
    as<FisherEvidence>(*digested).fisher_trace(theta, weights.data(), 0, 3, traces.data());
    const double damping = 0.1 * (traces[0] + traces[1] + traces[2]) / static_cast<double>(theta.size());
    as<FisherEvidence>(*digested).fisher_product(theta, weights.data(), n, 0, 3, rows.data());
    for (std::size_t i = 0; i < rows.size(); ++i) image[i % theta.size()] += rows[i];
    std::vector<double> residual(theta.size());
    std::fill_n(weights.begin(), 9, 1.0 / 9.0);
    digested->weighted_gradient(theta, weights.data(), 0, 3, rows.data(), nullptr);
    std::vector<double> gradient(theta.size(), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) gradient[i % theta.size()] += rows[i];
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] = image[i] + damping * n[i] - gradient[i];
    EXPECT_LT(norm(residual), (hidden == 8 ? 1e-9 : 0.05) * norm(gradient)) << hidden;
  }
}

TEST(Rnpg, LearnsTheRestOfARunFromItsSavedWindow) {
  // The estimate after a restore needs the window: without it the first one would be a natural gradient of one batch.
  Laboratory lab = laboratory();
  const auto make = [&] { return rnpg(lab.policy(), {.batch = kBatch, .window = 3, .step = 0.1}); };
  const auto whole = make(), first = make(), second = make();
  for (Index k = 1; k <= 3; ++k) {
    lab.iterate(*whole, iterate_of(k), k);
    lab.iterate(*first, iterate_of(k), k);
  }
  Archive saved(Archive::Mode::kSave);
  first->state(saved);
  Archive restored(saved.entries());
  second->state(restored);
  const Estimate expected = lab.iterate(*whole, iterate_of(4), 4), got = lab.iterate(*second, iterate_of(4), 4);
  EXPECT_EQ(bits(got.parameters), bits(expected.parameters));
  EXPECT_NE(bits(lab.iterate(*make(), iterate_of(4), 4).parameters), bits(expected.parameters));
}

TEST(Rnpg, OfARunTakesTheStepOfItsOptimizer) {
  // Adam moves every parameter by its rate at first, whatever the direction's length; the own step does not.
  const auto first_step = [](const std::string& kind) {
    Session session(configured({"algo.name=rnpg", "optimizer.kind=" + kind, "optimizer.rate=0.25", "train.threads=1"}));
    session.iterate();
    return std::vector<double>(session.trainer.parameters().begin(), session.trainer.parameters().end());
  };
  for (const double parameter : first_step("adam")) EXPECT_NEAR(std::abs(parameter), 0.25, 1e-6);
  const std::vector<double> own = first_step("constant");
  EXPECT_GT(std::abs(std::abs(own[0]) - std::abs(own[2])), 0.01);
}

TEST(Rnpg, HandsOutAGradientThatIsNotFinite) {
  Laboratory lab(linear_quadratic({.action_cost = {1e306}}), {.variance = {0.3}}, 1);
  const auto estimator = rnpg(lab.policy(), {.batch = kBatch});
  const Estimate estimate = lab.iterate(*estimator, std::vector<double>(2, 0.0), 1);
  EXPECT_FALSE(std::isfinite(norm(estimate.gradient))) << "it is not hidden as a gradient of 0";
}

TEST(Rnpg, NeedsTheLengthsOfItsTrajectories) {
  Laboratory lab = laboratory();
  const auto estimator = rnpg(lab.policy(), {.batch = 5});
  std::vector<Batch> fresh;
  fresh.push_back(lab.collect(iterate_of(1), 1, 5));
  fresh.back().lengths.clear();
  expect_throw([&] { estimator->estimate(iterate_of(1), std::move(fresh), lab.sum()); }, "needs the lengths");
}

TEST(Rnpg, RefusesNegativeSettings) {
  const Laboratory lab = laboratory();
  for (const RnpgOptions& options :
       {RnpgOptions{.damping = -1.0}, RnpgOptions{.kl_limit = -1.0}, RnpgOptions{.projection = -1.0}}) {
    expect_throw([&] { rnpg(lab.policy(), options); }, "must not be negative");
  }
}

}  // namespace
}  // namespace retropg::test
