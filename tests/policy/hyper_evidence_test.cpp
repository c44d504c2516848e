#include "retropg/policy/hyper_evidence.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "retropg/core/numerics.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kDeviation = {0.5, 1.3, 0.8};

std::shared_ptr<const HyperModel> model(bool learned) {
  return std::make_shared<HyperModel>(HyperModel{.deviation = kDeviation, .learned = learned});
}

/// Means and, if learned, deviations a little away from kDeviation.
std::vector<double> parameters(bool learned, std::uint64_t seed) {
  std::vector<double> xi = random_numbers(3, 1.0, seed);
  if (!learned) return xi;
  const std::vector<double> change = random_numbers(3, 0.1, 100 + seed);
  for (std::size_t i = 0; i < 3; ++i) xi.push_back(std::log(kDeviation[i]) + change[i]);
  return xi;
}

double deviation(Parameters xi, std::size_t i) {
  return xi.size() == 3 ? kDeviation[i] : std::exp(xi[3 + i]);
}

double log_density(Parameters xi, Parameters theta) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double z = (theta[i] - xi[i]) / deviation(xi, i);
    sum -= 0.5 * (z * z + std::log(2.0 * std::numbers::pi)) + std::log(deviation(xi, i));
  }
  return sum;
}

std::vector<double> drawn(Index j) {
  return random_numbers(3, 1.2, 50 + static_cast<std::uint64_t>(j));
}

/// Draws 0, ..., count - 1 with credits, one a trajectory or one a parameter.
HyperEvidence evidence(bool learned, Parameters behavior, Index count, Index width = 1, double credit = 1.0) {
  HyperEvidence result(model(learned), behavior, count, width);
  for (Index j = 0; j < count; ++j) {
    std::vector<double> credits(as_size(width), credit);
    if (width > 1) credits = random_numbers(width, 1.0, 200 + static_cast<std::uint64_t>(j));
    result.put(j, drawn(j), credits);
  }
  return result;
}

/// The total of the rows that `question` fills.
template <typename Question>
std::vector<double> total(const Evidence& evidence, std::size_t parameters, const Question& question) {
  const Index chunks = chunk_count(evidence.size());
  std::vector<double> rows(as_size(chunks) * parameters), result(parameters, 0.0);
  question(Index{0}, chunks, rows.data());
  for (std::size_t i = 0; i < rows.size(); ++i) result[i % parameters] += rows[i];
  return result;
}

/// The central difference of f(xi) by parameter i. With h = 1e-5 curvature leaves some 1e-10 and rounding as much.
template <typename F>
double difference(const F& f, std::vector<double> xi, std::size_t i) {
  constexpr double h = 1e-5;
  xi[i] += h;
  const double above = f(xi);
  xi[i] -= 2.0 * h;
  return (above - f(xi)) / (2.0 * h);
}

class HyperEvidences : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Deviations, HyperEvidences, testing::Bool(),
                         [](const auto& learned) { return learned.param ? "learned" : "fixed"; });

TEST_P(HyperEvidences, LogRatioIsTheDifferenceOfTheLogDensities) {
  const std::vector<double> behavior = parameters(GetParam(), 1), xi = parameters(GetParam(), 2);
  const Answers answers = ask(evidence(GetParam(), behavior, 6), xi, std::vector<double>(6, 1.0));
  for (Index j = 0; j < 6; ++j) {
    const double expected = log_density(xi, drawn(j)) - log_density(behavior, drawn(j));
    EXPECT_NEAR(answers.log_ratio[as_size(j)], expected, 1e-12 * std::max(1.0, std::abs(expected)));
  }
  EXPECT_EQ(answers.renyi[0], answers.renyi[5]) << "one divergence for the whole batch";
  EXPECT_EQ(answers.log_ratio[6], 0.0);
  EXPECT_EQ(answers.renyi[7], 0.0);
}

TEST_P(HyperEvidences, LogRatioAndRenyiDivergenceKeepTheirDigitsNearTheBehavior) {
  // Moves of 1e-9 leave a log-ratio of some 1e-9: from the two densities it would keep 7 digits.
  const std::vector<double> behavior = parameters(GetParam(), 1);
  std::vector<double> xi = behavior;
  for (std::size_t i = 0; i < xi.size(); ++i) xi[i] += 1e-9 * (1.0 + static_cast<double>(i));
  const Answers answers = ask(evidence(GetParam(), behavior, 1), xi, std::vector{1.0});
  long double ratio = 0.0L, distance = 0.0L;  // by their series, whose next terms are 1e-9 of them
  for (std::size_t i = 0; i < 3; ++i) {
    const long double sigma = deviation(behavior, i), z = (drawn(0)[i] - behavior[i]) / sigma;
    const long double shift = (static_cast<long double>(xi[i]) - behavior[i]) / sigma;
    const long double change = GetParam() ? static_cast<long double>(xi[3 + i]) - behavior[3 + i] : 0.0L;
    ratio += shift * z + change * (z * z - 1.0L);
    distance += shift * shift + 2.0L * change * change;
  }
  EXPECT_NEAR(answers.log_ratio[0] / static_cast<double>(ratio), 1.0, 3e-8);
  EXPECT_NEAR(answers.renyi[0] / static_cast<double>(distance), 1.0, 3e-8);
}

TEST(HyperEvidence, LogRatioIsLinearInTheDrawForEqualDeviations) {
  const std::vector<double> behavior = parameters(false, 1), xi = parameters(false, 2);
  HyperEvidence batch(model(false), behavior, 3);
  const std::vector<double> a = drawn(0), b = drawn(1), one = {1.0};
  std::vector<double> middle(3);
  for (std::size_t i = 0; i < 3; ++i) middle[i] = 0.25 * a[i] + 0.75 * b[i];
  batch.put(0, a, one);
  batch.put(1, b, one);
  batch.put(2, middle, one);
  const std::vector<double> ratio = ask(batch, xi, std::vector<double>(3, 1.0)).log_ratio;
  EXPECT_NEAR(ratio[2], 0.25 * ratio[0] + 0.75 * ratio[1], 1e-13);
  double expected = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    expected += (xi[i] - behavior[i]) * (a[i] - 0.5 * (xi[i] + behavior[i])) / (kDeviation[i] * kDeviation[i]);
  }
  EXPECT_NEAR(ratio[0], expected, 1e-13);
}

TEST_P(HyperEvidences, GradientIsTheDerivativeOfTheLogRatioTimesTheCredit) {
  const std::vector<double> behavior = parameters(GetParam(), 1), xi = parameters(GetParam(), 2);
  const std::vector<double> weights = {0.7, -1.1, 0.4, 1.3, -0.6};
  const HyperEvidence batch = evidence(GetParam(), behavior, 5, 1, -2.5);
  const std::vector<double> computed = gradient(batch, xi, weights);
  const auto objective = [&](const std::vector<double>& at_xi) {
    const std::vector<double> ratio = ask(batch, at_xi, weights).log_ratio;
    return -2.5 * std::inner_product(weights.begin(), weights.end(), ratio.begin(), 0.0);
  };
  for (std::size_t i = 0; i < xi.size(); ++i) EXPECT_NEAR(computed[i], difference(objective, xi, i), 1e-7);
  EXPECT_GT(norm(computed), 0.1);
}

TEST_P(HyperEvidences, CreditsOfEachParameterMultiplyItsComponent) {
  const std::vector<double> behavior = parameters(GetParam(), 1), xi = parameters(GetParam(), 2);
  const Index width = model(GetParam())->parameter_count();
  const std::vector<double> weights = {0.7, -1.1, 0.4, 1.3, -0.6};
  const std::vector<double> computed = gradient(evidence(GetParam(), behavior, 5, width), xi, weights);
  std::vector<double> expected(xi.size(), 0.0);
  for (Index j = 0; j < 5; ++j) {
    std::vector<double> alone(5, 0.0);
    alone[as_size(j)] = weights[as_size(j)];
    const std::vector<double> score = gradient(evidence(GetParam(), behavior, 5), xi, alone);
    const std::vector<double> credits = random_numbers(width, 1.0, 200 + static_cast<std::uint64_t>(j));
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += credits[i] * score[i];
  }
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(computed[i], expected[i], 1e-13);
}

TEST_P(HyperEvidences, RenyiGradientIsTheDerivativeOfTheRenyiDivergence) {
  const std::vector<double> behavior = parameters(GetParam(), 1), xi = parameters(GetParam(), 2);
  const HyperEvidence batch = evidence(GetParam(), behavior, 5);
  const std::vector<double> weights = {0.7, -1.1, 0.4, 1.3, -0.6, 0.0, 0.0, 0.0};  // 0.7 in all
  const std::vector<double> computed = total(batch, xi.size(), [&](Index first, Index last, double* rows) {
    batch.renyi_gradient(xi, weights.data(), first, last, rows);
  });
  const auto objective = [&](const std::vector<double>& at_xi) { return 0.7 * ask(batch, at_xi, weights).renyi[0]; };
  for (std::size_t i = 0; i < xi.size(); ++i) {
    EXPECT_NEAR(computed[i], difference(objective, xi, i), 1e-7 * std::max(1.0, norm(computed)));
  }
  EXPECT_GT(norm(computed), 0.1);
}

TEST_P(HyperEvidences, FisherMatrixIsHalfTheCurvatureOfTheRenyiDivergenceAtTheBehavior) {
  // D2 = delta' F delta + ..., so the gradient of D2 changes by 2 F v along v.
  const std::vector<double> behavior = parameters(GetParam(), 1), weights = {0.7, -1.1, 0.4, 1.3, -0.6, 0.0, 0.0, 0.0};
  const HyperEvidence batch = evidence(GetParam(), behavior, 5);
  const std::vector<double> vector = random_numbers(as_index(behavior.size()), 1.0, 9);
  const auto slope = [&](double step) {
    std::vector<double> xi = behavior;
    for (std::size_t i = 0; i < xi.size(); ++i) xi[i] += step * vector[i];
    return total(batch, xi.size(), [&](Index first, Index last, double* rows) {
      batch.renyi_gradient(xi, weights.data(), first, last, rows);
    });
  };
  const std::vector<double> product = total(batch, behavior.size(), [&](Index first, Index last, double* rows) {
    batch.fisher_product(behavior, weights.data(), vector, first, last, rows);
  });
  constexpr double h = 1e-5;
  const std::vector<double> above = slope(h), below = slope(-h);
  for (std::size_t i = 0; i < product.size(); ++i) {
    EXPECT_NEAR(2.0 * product[i], (above[i] - below[i]) / (2.0 * h), 1e-7 * std::max(1.0, norm(product)));
  }
  EXPECT_GT(norm(product), 0.1);
}

/// log of the integral of p^2 / q for one-dimensional Gaussians.
double log_integral(double mean_p, double sigma_p, double mean_q, double sigma_q) {
  const auto log_normal = [](double x, double mean, double sigma) {
    const double z = (x - mean) / sigma;
    return -0.5 * (z * z + std::log(2.0 * std::numbers::pi)) - std::log(sigma);
  };
  // p^2 / q is a Gaussian of this precision and center, but for a factor.
  const double precision = 2.0 / (sigma_p * sigma_p) - 1.0 / (sigma_q * sigma_q);
  const double center = (2.0 * mean_p / (sigma_p * sigma_p) - mean_q / (sigma_q * sigma_q)) / precision;
  const double reach = 12.0 / std::sqrt(precision);
  return std::log(boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
      [&](double x) { return std::exp(2.0 * log_normal(x, mean_p, sigma_p) - log_normal(x, mean_q, sigma_q)); },
      center - reach, center + reach, 15, 1e-13));
}

TEST(HyperEvidence, RenyiDivergenceIsTheLogarithmOfTheIntegralOfTheSquaredDensityOverTheOther) {
  const auto distance = [](double mean_p, double sigma_p, double mean_q, double sigma_q) {
    const auto one = std::make_shared<HyperModel>(HyperModel{.deviation = {1.0}, .learned = true});
    const HyperEvidence batch(one, std::vector{mean_q, std::log(sigma_q)}, 1);
    return ask(batch, std::vector{mean_p, std::log(sigma_p)}, std::vector{1.0}).renyi[0];
  };
  for (const double mean_p : {-0.4, 0.3, 2.0}) {
    for (const double sigma_p : {0.1, 0.7, 0.9, 1.2}) {
      const double computed = distance(mean_p, sigma_p, 0.3, 0.9);
      EXPECT_NEAR(computed, log_integral(mean_p, sigma_p, 0.3, 0.9), 1e-10) << mean_p << ' ' << sigma_p;
      EXPECT_EQ(computed == 0.0, mean_p == 0.3 && sigma_p == 0.9);
    }
    EXPECT_NEAR(distance(mean_p, 0.9, 0.3, 0.9), std::pow((mean_p - 0.3) / 0.9, 2), 1e-13);
  }
}

TEST(HyperEvidence, RenyiDivergenceIsInfiniteFromTwiceTheVarianceOn) {
  const std::vector<double> behavior = parameters(true, 1);
  const HyperEvidence batch = evidence(true, behavior, 5);
  const auto with = [&](double factor) {  // the variance of one parameter, which alone decides
    std::vector<double> xi = behavior;
    xi[4] += 0.5 * std::log(factor);
    return xi;
  };
  EXPECT_TRUE(std::isfinite(ask(batch, with(1.999), std::vector<double>(5, 1.0)).renyi[0]));
  for (const double factor : {2.001, 4.0, 1e200}) {
    const Answers answers = ask(batch, with(factor), std::vector<double>(5, 1.0));
    for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(answers.renyi[j], j < 5 ? kInfinity : 0.0);
    EXPECT_TRUE(all_finite(answers.log_ratio));
    EXPECT_TRUE(all_finite(answers.rows));
    const std::vector<double> weights(8, 1.0);
    std::vector<double> rows(12);
    batch.renyi_gradient(with(factor), weights.data(), 0, 2, rows.data());
    EXPECT_FALSE(all_finite(rows)) << "no direction leads back from there";
  }
}

TEST(HyperEvidence, IsRestoredWithCreditsOfBothKinds) {
  const std::vector<double> behavior = parameters(true, 1), xi = parameters(true, 2), weights(5, 0.3);
  for (const Index width : {1, 6}) {
    const HyperEvidence batch = evidence(true, behavior, 5, width);
    const HyperEvidence again(model(true), behavior, 5, batch.numbers());
    EXPECT_EQ(bits(ask(again, xi, weights).rows), bits(ask(batch, xi, weights).rows));
    EXPECT_EQ(bytes_of(batch), 8 * 5 * (3 + width));
  }
  expect_throw([&] { HyperEvidence(model(true), behavior, 5, std::vector<double>(25)); },
               "the size of the saved evidence does not match its policy");
}

TEST(HyperGatherer, KeepsTheDrawnParametersOfEachLane) {
  HyperGatherer gatherer(2, kChunk, Credit::kReturn);
  HyperEvidence batch(std::make_shared<HyperModel>(HyperModel{.deviation = {1.0, 1.0}}), std::vector{0.0, 0.0}, 1);
  gatherer.start(1, std::vector{3.0, 4.0});
  gatherer.move(1, 0);
  gatherer.finish(0, 0, 2.5, batch);
  EXPECT_EQ(bits(batch.numbers()), bits(std::vector{3.0, 4.0, 2.5}));
  for (const Index lane : {0, 1}) {  // the lanes start anew
    gatherer.start(lane, std::vector{5.0, 6.0});
    gatherer.finish(lane, 0, 1.0, batch);
    EXPECT_EQ(bits(batch.numbers()), bits(std::vector{5.0, 6.0, 1.0}));
  }
}

}  // namespace
}  // namespace retropg::test
