// Estimators against the closed forms of the bandit and of the linear-quadratic regulator.
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <numbers>
#include <string>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/bandit.hpp"
#include "retropg/environment/linear_quadratic.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/optimizer/optimizer.hpp"
#include "support/known_gradients.hpp"
#include "support/laboratory.hpp"

namespace retropg::test {
namespace {

/// Batches of 20, 30 and 40 trajectories of the problem's behaviors, different ones at every r.
void fill(Window& window, Laboratory& lab, const Problem& problem, Index r) {
  for (std::size_t b = 0; b < problem.behaviors.size(); ++b) {
    const Index i = static_cast<Index>(b);
    lab.push(window, problem.behaviors[b], 3 * r + i, 10 * (2 + i));
  }
}

/// The gradient at the problem's target and the sum of the coefficients, `repetitions` times.
std::vector<Sample> estimates(const Problem& problem, std::unique_ptr<WeightRule> rule, Index repetitions) {
  Laboratory lab = problem.laboratory(21);
  WindowedGradient gradient(std::move(rule));
  Window window(as_index(problem.behaviors.size()));
  return repeat(repetitions, [&](Index r) {
    fill(window, lab, problem, r);
    const Estimate estimate = gradient(window, problem.target, lab.sum());
    std::vector<double> values = estimate.gradient;
    values.push_back(estimate.diagnostics.weight_mean);
    return values;
  });
}

TEST(OnPolicyBias, IsNoneForGpomdpAndReinforce) {
  for (const Problem& problem : {bandit(), regulator()}) {
    for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
      Laboratory lab = problem.laboratory(11);
      const auto estimator = on_policy(100, credit);
      const std::vector<Sample> samples =
          repeat(10000, [&](Index r) { return lab.iterate(*estimator, problem.target, r).gradient; });
      expect_unbiased(samples, problem, 0.02);
    }
  }
}

TEST(SingleImportanceWeightBias, IsNoneAtAFixedTarget) {
  for (const Problem& problem : {bandit(), regulator()}) {
    for (const std::vector<double>& behavior : problem.behaviors) {
      Laboratory lab = problem.laboratory(12);
      WindowedGradient gradient(single_importance_weights());
      Window window(1);
      const std::vector<Sample> samples = repeat(10000, [&](Index r) {
        lab.push(window, behavior, r, 100);
        const Estimate estimate = gradient(window, problem.target, lab.sum());
        std::vector<double> values = estimate.gradient;
        values.push_back(estimate.diagnostics.weight_mean);
        return values;
      });
      expect_unbiased(samples, problem, 0.03);
      expect_mean(samples.back(), 1.0, 0.01, problem.name + ": mean ratio");
    }
  }
}

TEST(MultipleImportanceWeightBias, IsNoneForBehaviorsFixedInAdvance) {
  for (const Problem& problem : {bandit(), regulator()}) {
    const std::vector<Sample> samples = estimates(problem, multiple_importance_weights(), 20000);
    expect_unbiased(samples, problem, 0.02);
    expect_mean(samples.back(), 1.0, 0.003, problem.name + ": mean ratio");
  }
}

TEST(BalanceHeuristicBias, IsNoneForBehaviorsFixedInAdvance) {
  for (const Problem& problem : {bandit(), regulator()}) {
    const std::vector<Sample> samples = estimates(problem, balance_heuristic(), 20000);
    expect_unbiased(samples, problem, 0.02);
    expect_mean(samples.back(), 1.0, 0.003, problem.name + ": sum of coefficients");
  }
}

TEST(BalanceHeuristicBias, LeavesTheCoefficientsASumOfOneOnAverageAtTheNewestPolicyToo) {
  for (Problem problem : {bandit(), regulator()}) {
    problem.target = problem.behaviors.back();
    expect_mean(estimates(problem, balance_heuristic(), 5000).back(), 1.0, 0.003, problem.name);
  }
}

// From here on: one step, a ~ N(theta, 1), reward exp(-(a - 1)^2 / 2), theta_1 = 0, as the three Facts are illustrated.

constexpr double kFirst = 0.0, kTarget = 0.5;

double density(double a, double theta) {
  return std::exp(-0.5 * (a - theta) * (a - theta)) / std::sqrt(2.0 * std::numbers::pi);
}

double reward(double a) {
  return std::exp(-0.5 * (a - 1.0) * (a - 1.0));
}

/// The gradient estimate of one action at theta.
double single(double a, double theta) {
  return reward(a) * (a - theta);
}

double power_mean(double ratio, double lambda) {
  return 1.0 / ((1.0 - lambda) / ratio + lambda);
}

double exact(double theta) {
  return gaussian_bandit_exact({}, theta, 1.0).gradient[0];
}

/// Expectation of f(a) for a ~ N(theta, 1).
template <typename F>
double expectation(double theta, const F& f) {
  using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
  return Quadrature::integrate([&](double a) { return density(a, theta) * f(a); }, theta - 10.0, theta + 10.0, 8,
                               1e-10);
}

/// theta_2 after a step of size 1 along the gradient of the first action.
double second(double a) {
  return kFirst + single(a, kFirst);
}

/// Two iterations of gradient ascent with step 1 and one trajectory each; ends with both batches in the window and
/// gives theta_2.
class TwoIterations {
 public:
  TwoIterations() : lab_(gaussian_bandit(), {.variance = {1.0}}, 31), window_(2) {}

  double run(Index r) {
    std::vector<double> theta = {kFirst};
    lab_.push(window_, theta, 2 * r, 1);
    WindowedGradient gradient(multiple_importance_weights());
    Window first(1);
    lab_.push(first, theta, 2 * r, 1);  // the same trajectory
    constant_step(1.0)->ascend(theta, gradient(first, theta, lab_.sum()).gradient);
    lab_.push(window_, theta, 2 * r + 1, 1);
    return theta[0];
  }

  const Window& window() const { return window_; }
  const OrderedSum& sum() const { return lab_.sum(); }

 private:
  Laboratory lab_;
  Window window_;
};

constexpr Index kRuns = 200000;

TEST(TargetBias, OfMiwAtTheParametersItLedToIsTheOneByQuadrature) {
  // The fresh half is unbiased; the reused half is weighted towards a target that its own trajectory chose.
  const double bias = 0.5 * expectation(kFirst, [](double a) {
                        const double target = second(a);
                        return density(a, target) / density(a, kFirst) * single(a, target) - exact(target);
                      });
  EXPECT_NEAR(bias, -0.0486, 5e-5);

  // As a training run does it: the estimator's own window, the optimizer's own step.
  Laboratory lab(gaussian_bandit(), {.variance = {1.0}}, 30);
  const auto step = constant_step(1.0);
  const std::vector<Sample> error = repeat(kRuns, [&](Index r) {
    const auto estimator = windowed(lab.policy(), {.batch = 1, .window = 2}, multiple_importance_weights());
    std::vector<double> theta = {kFirst};
    step->ascend(theta, lab.iterate(*estimator, theta, 2 * r).gradient);
    return std::vector{lab.iterate(*estimator, theta, 2 * r + 1).gradient[0] - exact(theta[0])};
  });
  expect_mean(error[0], bias, 0.0486 / 20.0, "target bias");
}

TEST(TargetBias, OfMiwAtAFixedTargetIsNone) {
  TwoIterations two;
  WindowedGradient gradient(multiple_importance_weights());
  const std::vector<Sample> error = repeat(kRuns, [&](Index r) {
    two.run(r);
    return std::vector{gradient(two.window(), std::vector{kTarget}, two.sum()).gradient[0] - exact(kTarget)};
  });
  expect_mean(error[0], 0.0, 0.0486 / 20.0, "MIW at a fixed target");
}

TEST(CrossTimeBias, OfTheBalanceHeuristicAtAFixedTargetIsTheOneByQuadrature) {
  const auto coefficient = [](double a, double theta_2) {
    return density(a, kTarget) / (density(a, kFirst) + density(a, theta_2));
  };
  const double bias =
      expectation(kFirst,
                  [&](double first) {
                    const double theta_2 = second(first);
                    return coefficient(first, theta_2) * single(first, kTarget) +
                           expectation(theta_2, [&](double a) { return coefficient(a, theta_2) * single(a, kTarget); });
                  }) -
      exact(kTarget);
  EXPECT_NEAR(bias, -0.0421, 5e-5);

  TwoIterations two;
  WindowedGradient gradient(balance_heuristic());
  const std::vector<Sample> error = repeat(kRuns, [&](Index r) {
    two.run(r);
    return std::vector{gradient(two.window(), std::vector{kTarget}, two.sum()).gradient[0] - exact(kTarget)};
  });
  expect_mean(error[0], bias, 0.0421 / 20.0, "cross-time bias");
}

TEST(PowerMeanBias, OfWeightAndGradientAreThoseByQuadrature) {
  const Problem problem{.name = "bandit",
                        .environment = gaussian_bandit(),
                        .variance = 1.0,
                        .target = {kTarget},
                        .behaviors = {{kFirst}},
                        .gradient = {exact(kTarget)}};
  for (const double lambda : {0.3, 0.05, 0.9}) {
    const auto w = [&](double a) { return power_mean(density(a, kTarget) / density(a, kFirst), lambda); };
    const double weight = expectation(kFirst, w);
    const double bias = expectation(kFirst, [&](double a) { return w(a) * single(a, kTarget); }) - exact(kTarget);
    if (lambda == 0.3) {
      EXPECT_NEAR(bias, -0.0671, 5e-5);
    }
    EXPECT_LT(weight, 1.0);  // Jensen: E[w] <= 1

    const std::vector<Sample> samples =
        estimates(problem, multiple_power_mean({.rule = CoefficientRule::kExplicit, .lambda = {lambda}}), 20000);
    expect_mean(samples[0], exact(kTarget) + bias, 0.0671 / 40.0, "gradient");
    expect_mean(samples[1], weight, 0.002, "weight");
    EXPECT_LT(samples[1].mean(), 1.0 - kStandardErrors * samples[1].standard_error());
  }
}

TEST(PowerMeanBias, LeavesTheMeanWeightAtMostOneInSeveralSteps) {
  Problem problem = regulator();
  const Sample weight =
      estimates(problem, multiple_power_mean({.rule = CoefficientRule::kExplicit, .lambda = {0.3}}), 5000).back();
  EXPECT_LT(weight.mean(), 1.0 - kStandardErrors * weight.standard_error());  // strictly: lambda is neither 0 nor 1
  EXPECT_GT(weight.mean(), 0.9);
}

}  // namespace
}  // namespace retropg::test
