// Gaussian policies with learned deviations against densities, quadrature, finite differences, and expectations.
#include "retropg/policy/learned_deviation_evidence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>

#include "retropg/core/numerics.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "support/bits.hpp"
#include "support/central_differences.hpp"
#include "support/evidence_answers.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

constexpr std::size_t kActions = 2;
constexpr double kDiscount = 0.95;

struct Case {
  std::string name;
  std::function<std::unique_ptr<Policy>()> make;
};

void PrintTo(const Case& shown, std::ostream* out) {
  *out << shown.name;
}

std::vector<Case> cases() {
  const LinearGaussianOptions linear{.observation_size = 3,
                                     .action_size = 2,
                                     .variance = {0.3, 0.8},
                                     .bias = true,
                                     .shift = {0.1, 0.0, -0.3},
                                     .scale = {1.5, 0.0, 0.5},
                                     .learn_deviation = true};
  const MlpGaussianOptions network{.observation_size = 3,
                                   .action_size = 2,
                                   .hidden = {5, 4},
                                   .bias = true,
                                   .variance = {0.3, 0.8},
                                   .learn_deviation = true,
                                   .shift = {0.1, 0.0, -0.3},
                                   .scale = {1.5, 0.7, 0.5},
                                   .action_shift = {0.2, -0.1},
                                   .action_scale = {1.7, 0.6}};
  return {{"Linear", [=] { return linear_gaussian(linear); }}, {"Network", [=] { return mlp_gaussian(network); }}};
}

class LearnedDeviation : public testing::TestWithParam<Case> {
 protected:
  std::vector<double> parameters(std::uint64_t seed) const {
    return sum_of(policy_->initial_parameters(1), random_numbers(policy_->parameter_count(), 0.15, seed));
  }
  static double sigma(Parameters theta, std::size_t u) { return std::exp(theta[theta.size() - kActions + u]); }
  std::vector<double> mean(Parameters theta, Index step) const {
    std::vector<double> result(kActions);
    policy_->mean(theta, reference::observation(batch_, step), result);
    return result;
  }
  /// The distribution of an action of a step.
  struct Normal {
    double mean, sigma;
    double log_density(double x) const {
      const double z = (x - mean) / sigma;
      return -0.5 * z * z - std::log(sigma) - 0.5 * std::log(2.0 * std::numbers::pi);
    }
    /// The integral of f by the trapezoidal rule, which is exact to rounding for such bells.
    template <class F>
    double integral(const F& f) const {
      constexpr int kPoints = 1000;
      double sum = 0.0;
      for (int i = 0; i <= kPoints; ++i) sum += f(mean + 40.0 * sigma * (2.0 * i / kPoints - 1.0));
      return sum * 80.0 * sigma / kPoints;
    }
  };
  Normal normal(Parameters theta, Index step, std::size_t u) const { return {mean(theta, step)[u], sigma(theta, u)}; }
  /// sum_t sum_u f(t, u) of a trajectory.
  template <class F>
  double over_steps(Index j, const F& f) const {
    double sum = 0.0;
    for (Index t = batch_.begin(j); t < batch_.begin(j + 1); ++t) {
      for (std::size_t u = 0; u < kActions; ++u) sum += f(t, u);
    }
    return sum;
  }
  /// Trajectories of steps with actions drawn at the behavior.
  TrajectoryBatch drawn() const {
    RandomStream random({.seed = 3, .purpose = Purpose::kBootstrap});
    TrajectoryBatch batch{.observation_size = 3, .action_size = 2};
    std::vector<double> observation(3), action(kActions);
    for (const Index length : {3, 1, 7, 2, 129, 5}) {  // two chunks with padding; the second exceeds a tile
      for (Index t = 0; t < length; ++t) {
        for (double& number : observation) number = random.normal();
        policy_->mean(behavior_, observation, action);
        for (std::size_t u = 0; u < kActions; ++u) action[u] += sigma(behavior_, u) * random.normal();
        batch.add(observation, action, random.normal());
      }
      batch.close();
    }
    return batch;
  }
  static std::vector<double> added(const std::vector<double>& rows, std::size_t width) {
    std::vector<double> total(width, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) total[i % width] += rows[i];
    return total;
  }

  const std::unique_ptr<Policy> policy_ = GetParam().make();
  const std::vector<double> behavior_ = parameters(1), theta_ = parameters(2);
  const std::size_t d_ = theta_.size();
  const TrajectoryBatch batch_ = drawn();
  const Index size_ = batch_.size();
  const std::unique_ptr<Evidence> evidence_ = policy_->digest(behavior_, batch_, kDiscount, Credit::kRewardToGo);
  const std::vector<double> weights_ = {0.7, -1.1, 0.4, 1.3, 0.06, 0.9, 0.0, 0.0};
};

TEST_P(LearnedDeviation, LogRatiosAreThoseOfTheDensities) {
  const Answers answers = ask(*evidence_, theta_, weights_);
  for (Index j = 0; j < size_; ++j) {
    const double expected = over_steps(j, [&](Index t, std::size_t u) {
      const double action = reference::action(batch_, t)[u];
      return normal(theta_, t, u).log_density(action) - normal(behavior_, t, u).log_density(action);
    });
    EXPECT_NEAR(answers.log_ratio[as_size(j)], expected, 1e-12 * std::max(1.0, std::abs(expected)));
  }
}

TEST_P(LearnedDeviation, RenyiDivergenceIsTheIntegralOfThePowerOfTheRatio) {
  for (const double order : {1.1, 2.0, 3.0}) {
    const Answers answers = ask(*evidence_, theta_, weights_, order);
    for (const Index j : {0, 1, 2, 3, 5}) {  // the long one says no more
      const double expected = over_steps(j, [&](Index t, std::size_t u) {
        const Normal p = normal(theta_, t, u), q = normal(behavior_, t, u);
        return std::log(p.integral(
            [&](double x) { return std::exp(order * p.log_density(x) + (1.0 - order) * q.log_density(x)); }));
      });
      EXPECT_NEAR(answers.renyi[as_size(j)], expected, 1e-12 * std::max(1.0, expected)) << order;
      EXPECT_GT(expected, 1e-3);
    }
  }
}

TEST_P(LearnedDeviation, RenyiDivergenceIsInfiniteWhereTheIntegralIs) {
  std::vector<double> wide = behavior_;
  wide.back() += 0.5 * std::log(2.0) + 1e-9;  // order 2: infinite from sigma^2 = 2 sigma_b^2 on
  const Answers infinite = ask(*evidence_, wide, weights_);
  for (Index j = 0; j < size_; ++j) {
    EXPECT_EQ(infinite.renyi[as_size(j)], std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isfinite(infinite.log_ratio[as_size(j)]));
  }
  EXPECT_EQ(infinite.renyi.back(), 0.0) << "padding";
  EXPECT_TRUE(all_finite(ask(*evidence_, wide, weights_, 1.9).renyi));
  wide.back() -= 2e-9;
  EXPECT_TRUE(all_finite(ask(*evidence_, wide, weights_).renyi));
  wide.back() -= 3.0;  // a narrower one never is
  EXPECT_TRUE(all_finite(ask(*evidence_, wide, weights_, 100.0).renyi));
}

TEST_P(LearnedDeviation, NearTheBehaviorAnswersKeepTheirDigits) {
  std::vector<double> near = behavior_;
  near.back() += 1e-9;
  const double change = near.back() - behavior_.back();
  const Answers answers = ask(*evidence_, near, weights_);
  for (Index j = 0; j < size_; ++j) {
    const double steps = static_cast<double>(batch_.length(j));
    // log d_2 = 2 c^2 and KL = c^2 up to terms of the third order.
    EXPECT_NEAR(answers.renyi[as_size(j)] / (2.0 * change * change * steps), 1.0, 1e-7);
    const double slope = over_steps(j, [&](Index t, std::size_t u) {
      const double z = (reference::action(batch_, t)[u] - mean(behavior_, t)[u]) / sigma(behavior_, u);
      return u + 1 == kActions ? z * z - 1.0 : 0.0;
    });
    EXPECT_NEAR(answers.log_ratio[as_size(j)], change * slope, 1e-7 * std::abs(change * steps));
  }
}

TEST_P(LearnedDeviation, GradientIsThatOfTheCreditedLogDensities) {
  const std::vector<double> credits = step_credits(batch_, kDiscount, Credit::kRewardToGo);
  const std::vector<double> expected = central_differences(theta_, [&](Parameters theta) {
    double sum = 0.0;
    for (Index j = 0; j < size_; ++j) {
      sum += weights_[as_size(j)] * over_steps(j, [&](Index t, std::size_t u) {
               return credits[as_size(t)] * normal(theta, t, u).log_density(reference::action(batch_, t)[u]);
             });
    }
    return sum;
  });
  const std::vector<double> computed = gradient(*evidence_, theta_, weights_);
  for (std::size_t i = 0; i < d_; ++i) EXPECT_NEAR(computed[i], expected[i], 1e-8 * norm(expected)) << i;
  EXPECT_GT(std::abs(expected.back()), 0.1);
}

TEST_P(LearnedDeviation, RunningScoresEndInTheScoreOfTheTrajectory) {
  const auto evidence = policy_->digest(behavior_, batch_, 1.0, Credit::kOne);
  for (const Index j : {0, 2, 4}) {
    std::vector<double> alone(as_size(size_), 0.0), running;
    alone[as_size(j)] = 1.0;
    const std::vector<double> score = gradient(*evidence, theta_, alone);
    policy_->running_scores(theta_, batch_, j, running);
    ASSERT_EQ(running.size(), as_size(batch_.length(j)) * d_);
    for (std::size_t i = 0; i < d_; ++i) {
      EXPECT_NEAR(running[running.size() - d_ + i], score[i], 1e-12 * norm(score));
    }
  }
}

TEST_P(LearnedDeviation, RenyiGradientIsTheDerivativeOfTheDivergence) {
  const std::vector<double> expected = central_differences(theta_, [&](Parameters theta) {
    const std::vector<double> renyi = ask(*evidence_, theta, weights_).renyi;
    return std::inner_product(weights_.begin(), weights_.end(), renyi.begin(), 0.0);
  });
  std::vector<double> rows(2 * d_);
  const auto& renyi = as<RenyiGradientEvidence>(*evidence_);
  renyi.renyi_gradient(theta_, weights_.data(), 0, 2, rows.data());
  const std::vector<double> computed = added(rows, d_);
  for (std::size_t i = 0; i < d_; ++i) EXPECT_NEAR(computed[i], expected[i], 1e-8 * norm(expected)) << i;
  EXPECT_GT(std::abs(expected.back()), 0.1);
  renyi.renyi_gradient(behavior_, weights_.data(), 0, 2, rows.data());
  for (const double number : rows) EXPECT_EQ(number, 0.0);
  std::vector<double> wide = behavior_;
  wide.back() += 1.0;
  renyi.renyi_gradient(wide, weights_.data(), 0, 2, rows.data());
  EXPECT_FALSE(std::isfinite(rows[d_ - 1])) << "where the divergence is infinite";
}

TEST_P(LearnedDeviation, DivergenceIsTheIntegralOfTheLogRatio) {
  const auto& divergence = as<DivergenceEvidence>(*evidence_);
  const std::vector<double> third = parameters(4);
  for (const auto& [theta, other] : {std::pair(theta_, behavior_), {behavior_, theta_}, {theta_, third}}) {
    std::vector<double> computed(8, -1.0);
    divergence.divergences(theta, other, 0, 2, computed.data());
    for (const Index j : {0, 1, 2, 3, 5}) {
      const double expected = over_steps(j, [&, &theta = theta, &other = other](Index t, std::size_t u) {
        const Normal p = normal(theta, t, u), q = normal(other, t, u);
        return p.integral([&](double x) { return std::exp(p.log_density(x)) * (p.log_density(x) - q.log_density(x)); });
      });
      EXPECT_NEAR(computed[as_size(j)], expected, 1e-12 * std::max(1.0, expected));
      EXPECT_GT(expected, 1e-3);
    }
    EXPECT_EQ(computed.back(), 0.0) << "padding";
  }
  for (const std::vector<double>& theta : {behavior_, theta_}) {
    std::vector<double> computed(8, -1.0);
    divergence.divergences(theta, theta, 0, 2, computed.data());
    EXPECT_EQ(bits(computed), bits(std::vector<double>(8, 0.0)));
  }
}

TEST_P(LearnedDeviation, FisherMatrixIsTheMeanSquareOfTheScores) {
  // Scores are linear in z and in z^2 - 1. Three points with the first five moments of a normal number make their mean
  // squares exact: 0 with the probability 2/3, +-sqrt(3) with 1/6 each.
  const std::array<std::pair<double, double>, 3> points{
      {{0.0, 2.0 / 3.0}, {std::sqrt(3.0), 1.0 / 6.0}, {-std::sqrt(3.0), 1.0 / 6.0}}};
  const std::vector<double> vector = random_numbers(as_index(d_), 1.0, 7);
  std::vector<double> expected(2 * d_, 0.0), traces(2, 0.0);
  for (Index j = 0; j < size_; ++j) {
    for (Index t = batch_.begin(j); t < batch_.begin(j + 1); ++t) {
      const std::vector<double> mu = mean(theta_, t);
      for (const auto& [first, first_share] : points) {
        for (const auto& [second, second_share] : points) {
          TrajectoryBatch one{.observation_size = 3, .action_size = 2};
          one.add(reference::observation(batch_, t),
                  std::array{mu[0] + sigma(theta_, 0) * first, mu[1] + sigma(theta_, 1) * second}, 0.0);
          one.close();
          std::vector<double> score;
          policy_->running_scores(theta_, one, 0, score);
          const double share = weights_[as_size(j)] * first_share * second_share;
          const double along = std::inner_product(score.begin(), score.end(), vector.begin(), 0.0);
          for (std::size_t i = 0; i < d_; ++i) expected[as_size(j / kChunk) * d_ + i] += share * along * score[i];
          traces[as_size(j / kChunk)] += share * std::inner_product(score.begin(), score.end(), score.begin(), 0.0);
        }
      }
    }
  }
  const auto& fisher = as<FisherEvidence>(*evidence_);
  std::vector<double> rows(2 * d_), computed(2), by_products(2);
  fisher.fisher_product(theta_, weights_.data(), vector, 0, 2, rows.data());
  fisher.fisher_trace(theta_, weights_.data(), 0, 2, computed.data());
  fisher.FisherEvidence::fisher_trace(theta_, weights_.data(), 0, 2, by_products.data());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], expected[i], 1e-11 * norm(expected)) << i;
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(computed[k], traces[k], 1e-11 * std::abs(traces[k]));
    EXPECT_NEAR(by_products[k], traces[k], 1e-11 * std::abs(traces[k]));
  }
}

TEST_P(LearnedDeviation, StepsAddUpToTheTrajectory) {
  const auto& steps = as<StepwiseEvidence>(*evidence_);
  std::vector<double> at_theta(as_size(batch_.steps())), at_behavior(at_theta.size()), credits(at_theta.size());
  steps.step_log_densities(theta_, 0, 2, at_theta.data());
  steps.step_log_densities(behavior_, 0, 2, at_behavior.data());
  steps.step_credits(0, 2, credits.data());
  EXPECT_EQ(bits(credits), bits(step_credits(batch_, kDiscount, Credit::kRewardToGo)));
  const std::vector<double> log_ratio = ask(*evidence_, theta_, weights_).log_ratio;
  for (Index j = 0; j < size_; ++j) {
    double sum = 0.0;
    for (Index t = batch_.begin(j); t < batch_.begin(j + 1); ++t) sum += at_theta[as_size(t)] - at_behavior[as_size(t)];
    EXPECT_NEAR(sum, log_ratio[as_size(j)], 1e-12 * std::max(1.0, std::abs(sum)));
  }
}

TEST_P(LearnedDeviation, StopsFallingBeforeAnythingBreaks) {
  const double start = policy_->initial_parameters(1).back();
  std::vector<double> least = behavior_, below = behavior_;
  least.back() = start - 30.0;
  below.back() = -1e300;
  for (const std::vector<double>& theta : {least, below}) {
    const Answers answers = ask(*evidence_, theta, weights_);
    EXPECT_TRUE(all_finite(answers.log_ratio) && all_finite(answers.renyi) && all_finite(answers.rows));
  }
  EXPECT_EQ(bits(ask(*evidence_, below, weights_).log_ratio), bits(ask(*evidence_, least, weights_).log_ratio));
  EXPECT_NE(gradient(*evidence_, least, weights_).back(), 0.0);
  EXPECT_EQ(gradient(*evidence_, below, weights_).back(), 0.0) << "nothing depends on it there";
  std::vector<double> rows(2 * d_), unit(d_, 0.0);
  unit.back() = 1.0;
  as<FisherEvidence>(*evidence_).fisher_product(below, weights_.data(), unit, 0, 2, rows.data());
  EXPECT_EQ(added(rows, d_), std::vector<double>(d_, 0.0));
  // A trajectory that such a policy draws itself still has a finite score.
  const auto own = policy_->digest(below, batch_, 1.0, Credit::kOne);
  EXPECT_TRUE(all_finite(ask(*own, below, weights_).rows));
}

INSTANTIATE_TEST_SUITE_P(Policies, LearnedDeviation, testing::ValuesIn(cases()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace retropg::test
