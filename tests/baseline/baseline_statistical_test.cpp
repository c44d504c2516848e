// Baselines by Monte Carlo: those that claim it leave the expected gradient alone, and all make it less noisy.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "retropg/core/archive.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/baseline/baseline.hpp"
#include "retropg/estimator/windowed.hpp"
#include "support/drift_environment.hpp"
#include "support/evidence_answers.hpp"
#include "support/known_gradients.hpp"
#include "support/laboratory.hpp"

namespace retropg::test {
namespace {

BaselineOptions options_of(const Problem& problem) {
  return {.horizon = problem.environment.horizon, .discount = problem.environment.discount};
}

/// Problems with two behaviors each; the gradient of the last, which ends early, is not known.
std::vector<Problem> problems() {
  std::vector<Problem> result{bandit(),
                              regulator(),
                              {.name = "drift",
                               .environment = drift(),
                               .variance = 0.4,
                               .target = {-0.5, -0.6},
                               .behaviors = {{-0.4, -0.6}, {-0.5, -0.8}},
                               .gradient = {}}};
  result[0].behaviors = {{0.0}, {0.5}};
  result[1].behaviors = {{-0.6, -0.3}, {-0.5, -0.2}};
  return result;
}

/// A baseline and the state it starts every repetition with: earlier batches fixed in advance.
struct Taught {
  std::string name;
  std::unique_ptr<Baseline> baseline;
  Archive saved{Archive::Mode::kSave};

  void rewind() {
    Archive archive(saved.state());
    baseline->state(archive);
  }
};

/// The baselines that claim to be unbiased.
std::vector<Taught> unbiased(const Problem& problem, Laboratory& lab) {
  const BaselineOptions options = options_of(problem);
  std::vector<Taught> result(3);
  result[0] = {.name = "leave-one-out", .baseline = leave_one_out_baseline(options)};
  result[1] = {.name = "running-mean", .baseline = running_mean_baseline(options, 0.2)};
  result[2] = {.name = "value",
               .baseline = value_baseline(problem.environment.observation_size, options,
                                          {.window = 4, .ridge = 1e-3, .fresh = false})};
  for (Taught& taught : result) {
    for (Index k = 1; k <= 2; ++k) {
      taught.baseline->credits(problem.target, lab.collect_steps(problem.target, 1'000'000 + k, 50), Credit::kReturn);
    }
    taught.baseline->state(taught.saved);
  }
  return result;
}

/// The mean of the values and its standard error, number by number.
struct Moments {
  std::vector<std::vector<double>> values;

  void add(const std::vector<double>& numbers) {
    values.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) values[i].push_back(numbers[i]);
  }
  /// Expects the mean `expected` to 4.5 standard errors, and those below `precision`.
  void expect(const std::vector<double>& expected, double precision, const std::string& what) const {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double error = standard_deviation(values[i]) / std::sqrt(static_cast<double>(values[i].size()));
      EXPECT_NEAR(mean(values[i]), expected[i], kStandardErrors * error) << what << ", parameter " << i;
      EXPECT_LT(error, precision) << what;
    }
  }
  double total_variance() const {
    double sum = 0.0;
    for (const std::vector<double>& one : values) sum += std::pow(standard_deviation(one), 2);
    return sum;
  }
  std::vector<double> means() const {
    std::vector<double> result;
    for (const std::vector<double>& one : values) result.push_back(mean(one));
    return result;
  }
};

std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

/// Draws gradients with a baseline and without it on the same trajectories. Where the gradient is known the mean must
/// be it; everywhere the mean difference must be 0.
template <typename Gradient>
void expect_unbiased(const Gradient& gradient, Index repetitions, double precision) {
  for (const Problem& problem : problems()) {
    Laboratory lab(problem.environment, {.variance = {problem.variance}}, 17);
    for (Taught& taught : unbiased(problem, lab)) {
      Moments with, change, without;
      for (Index r = 1; r <= repetitions; ++r) {
        taught.rewind();
        const std::vector<double> plain = gradient(problem, lab, nullptr, r);
        const std::vector<double> less = gradient(problem, lab, taught.baseline.get(), r);
        without.add(plain);
        with.add(less);
        change.add(difference(less, plain));
      }
      const double scale = problem.gradient.empty() ? norm(without.means()) : norm(problem.gradient);
      const std::string what = problem.name + ", " + taught.name;
      with.expect(problem.gradient, precision * scale, what);
      change.expect(std::vector(problem.target.size(), 0.0), precision * scale, what + ", change");
      EXPECT_GT(change.total_variance(), 0.0) << what;
    }
  }
}

std::vector<double> credits(const Problem& problem, const std::vector<double>& theta, const TrajectoryBatch& batch,
                            Baseline* baseline, Credit credit) {
  return baseline == nullptr ? step_credits(batch, problem.environment.discount, credit)
                             : baseline->credits(theta, batch, credit);
}

TEST(BaselineBias, IsNoneOnPolicy) {
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {  // gpomdp, reinforce
    expect_unbiased(
        [credit](const Problem& problem, Laboratory& lab, Baseline* baseline, Index r) {
          const TrajectoryBatch batch = lab.collect_steps(problem.target, r, 10);
          const auto evidence =
              lab.policy().digest(problem.target, batch, credits(problem, problem.target, batch, baseline, credit));
          return gradient(*evidence, problem.target, std::vector(10, 0.1));
        },
        4000, 0.08);
  }
}

TEST(BaselineBias, IsNoneWithImportanceWeights) {
  expect_unbiased(
      [](const Problem& problem, Laboratory& lab, Baseline* baseline, Index r) {
        Window window(kFullReuse);
        for (std::size_t b = 0; b < problem.behaviors.size(); ++b) {
          const std::vector<double>& behavior = problem.behaviors[b];
          const TrajectoryBatch batch = lab.collect_steps(behavior, 2 * r + static_cast<Index>(b), 6);
          window.push(behavior, lab.policy().digest(behavior, batch,
                                                    credits(problem, behavior, batch, baseline, Credit::kRewardToGo)));
        }
        return WindowedGradient(multiple_importance_weights())(window, problem.target, lab.sum()).gradient;
      },
      4000, 0.08);
}

TEST(BaselineVariance, FallsOnCartPoleWithEveryBaseline) {
  constexpr Index kBatches = 3000;
  const EnvironmentDefinition environment = cart_pole();
  Laboratory lab(environment, {.variance = {0.3}, .evidence = EvidenceKind::kSteps}, 23);
  const std::vector<double> theta = {0.02, -0.01, 0.1, 0.05};
  const BaselineOptions options{.horizon = environment.horizon, .discount = environment.discount};
  const ValueOptions value{.window = 8, .ridge = 0.1, .fresh = false}, fresh{.window = 8, .ridge = 0.1, .fresh = true};
  struct Case {
    std::string name;
    std::unique_ptr<Baseline> baseline;
    Moments gradients{};
  };
  std::vector<Case> cases(6);
  cases[0] = {"mean", mean_baseline(options)};
  cases[1] = {"leave-one-out", leave_one_out_baseline(options)};
  cases[2] = {"peters", peters_baseline(lab.policy(), options)};
  cases[3] = {"running-mean", running_mean_baseline(options, 0.05)};
  cases[4] = {"value", value_baseline(4, options, value)};
  cases[5] = {"value-fresh", value_baseline(4, options, fresh)};
  const std::vector<double> weights(20, 0.05);
  Moments plain;
  for (Index r = 1; r <= kBatches; ++r) {
    const TrajectoryBatch batch = lab.collect_steps(theta, r, 20);
    plain.add(gradient(*lab.policy().digest(theta, batch, 1.0, Credit::kRewardToGo), theta, weights));
    for (Case& one : cases) {
      const std::vector<double> credits = one.baseline->credits(theta, batch, Credit::kRewardToGo);
      one.gradients.add(gradient(*lab.policy().digest(theta, batch, credits), theta, weights));
    }
  }
  // The squared distance of an estimate from the mean, summed over the parameters, averages to the variance: it must be
  // smaller on the same trajectories by more than 4.5 standard errors. It falls least with leave-one-out, by about 6.6.
  for (const Case& one : cases) {
    std::vector<double> change(as_size(kBatches), 0.0);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      for (std::size_t r = 0; r < change.size(); ++r) {
        change[r] += std::pow(one.gradients.values[i][r] - mean(one.gradients.values[i]), 2) -
                     std::pow(plain.values[i][r] - mean(plain.values[i]), 2);
      }
    }
    const double error = standard_deviation(change) / std::sqrt(static_cast<double>(change.size()));
    EXPECT_LT(mean(change), -kStandardErrors * error) << one.name;
  }
}

}  // namespace
}  // namespace retropg::test
