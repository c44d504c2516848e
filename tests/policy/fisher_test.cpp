// What natural gradients and POIS ask of evidence: gradients of the distance and products with the Fisher matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/policy/evidence.hpp"
#include "support/bits.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A policy and its variances.
struct Case {
  std::string name;
  std::function<std::unique_ptr<Policy>()> make;
  std::vector<double> variance;
};

void PrintTo(const Case& shown, std::ostream* out) {
  *out << shown.name;
}

Case linear(const std::string& name, LinearGaussianOptions options, EvidenceKind kind) {
  options.evidence = kind;
  std::vector<double> variance = options.variance;
  variance.resize(as_size(options.action_size), variance.front());
  return {name, [options] { return linear_gaussian(options); }, variance};
}

Case network(const std::string& name, const MlpGaussianOptions& options) {
  std::vector<double> variance = options.variance;
  variance.resize(as_size(options.action_size), variance.front());
  return {name, [options] { return mlp_gaussian(options); }, variance};
}

/// Trajectories of the given lengths drawn from a policy on normal observations.
TrajectoryBatch drawn(const Policy& policy, const std::vector<double>& variance, Parameters theta,
                      std::span<const Index> lengths, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap});
  TrajectoryBatch batch{.observation_size = policy.observation_size(), .action_size = policy.action_size()};
  std::vector<double> observation(as_size(policy.observation_size())), action(variance.size());
  for (const Index length : lengths) {
    for (Index t = 0; t < length; ++t) {
      for (double& number : observation) number = random.normal();
      policy.mean(theta, observation, action);
      for (std::size_t u = 0; u < action.size(); ++u) action[u] += std::sqrt(variance[u]) * random.normal();
      batch.add(observation, action, random.normal());
    }
    batch.close();
  }
  return batch;
}

/// d mu_u / d theta_i at one observation, at [u][i], by central differences.
std::vector<std::vector<double>> jacobian(const Policy& policy, Parameters theta, std::span<const double> observation) {
  constexpr double h = 1e-5;  // leaves h^2 = 1e-10 of a third derivative and 1e-16 / h of rounding
  std::vector<std::vector<double>> result(as_size(policy.action_size()), std::vector<double>(theta.size()));
  std::vector<double> above(result.size()), below(result.size()), moved(theta.begin(), theta.end());
  for (std::size_t i = 0; i < theta.size(); ++i) {
    moved[i] = theta[i] + h;
    policy.mean(moved, observation, above);
    moved[i] = theta[i] - h;
    policy.mean(moved, observation, below);
    moved[i] = theta[i];
    for (std::size_t u = 0; u < result.size(); ++u) result[u][i] = (above[u] - below[u]) / (2.0 * h);
  }
  return result;
}

double largest(const std::vector<double>& numbers) {
  double result = 0.0;
  for (const double number : numbers) result = std::max(result, std::abs(number));
  return result;
}

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> padded(std::vector<double> weights) {
  weights.resize(as_size(chunk_count(as_index(weights.size())) * kChunk), 0.0);
  return weights;
}

std::vector<double> added(const std::vector<double>& rows, std::size_t width) {
  std::vector<double> total(width, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) total[i % width] += rows[i];
  return total;
}

std::vector<double> renyi_rows(const Evidence& evidence, Parameters theta, const std::vector<double>& weights) {
  const Index chunks = chunk_count(evidence.size());
  std::vector<double> rows(as_size(chunks) * theta.size(), kNan);
  as<RenyiGradientEvidence>(evidence).renyi_gradient(theta, padded(weights).data(), 0, chunks, rows.data());
  return rows;
}

std::vector<double> fisher_rows(const Evidence& evidence, Parameters theta, const std::vector<double>& weights,
                                const std::vector<double>& vector) {
  const Index chunks = chunk_count(evidence.size());
  std::vector<double> rows(as_size(chunks) * theta.size(), kNan);
  as<FisherEvidence>(evidence).fisher_product(theta, padded(weights).data(), vector, 0, chunks, rows.data());
  return rows;
}

class Fisher : public testing::TestWithParam<Case> {
 protected:
  const std::unique_ptr<Policy> policy_ = GetParam().make();
  const Index count_ = policy_->parameter_count();
  const std::size_t d_ = as_size(count_);
  const std::vector<double> behavior_ = random_numbers(count_, 0.5, 1);
  const std::vector<double> theta_ = sum_of(behavior_, random_numbers(count_, 0.1, 2));
  // Two chunks with padding; the second does not fit into a tile of the network's steps.
  const std::array<Index, 6> lengths_ = {3, 1, 7, 2, 129, 5};
  const TrajectoryBatch batch_ = drawn(*policy_, GetParam().variance, behavior_, lengths_, 3);
  const std::unique_ptr<Evidence> evidence_ = policy_->digest(behavior_, batch_, 1.0, Credit::kOne);
  const FisherEvidence& fisher_ = as<FisherEvidence>(*evidence_);
  const std::vector<double> weights_ = {0.7, -1.1, 0.4, 1.3, 0.06, 0.9};
  const std::vector<double> positive_ = {0.7, 1.1, 0.4, 1.3, 0.06, 0.9};
  const std::vector<double> vector_ = random_numbers(count_, 1.0, 4);
};

TEST_P(Fisher, RenyiGradientIsTheDerivativeOfTheRenyiDivergence) {
  constexpr double h = 1e-5;
  const auto objective = [&](const std::vector<double>& theta) {
    std::vector<double> ratios(8), distances(8);
    evidence_->compare(theta, 2.0, 0, 2, ratios.data(), distances.data(), nullptr);
    return inner(padded(weights_), distances);
  };
  const std::vector<double> got = added(renyi_rows(*evidence_, theta_, weights_), d_);
  EXPECT_GT(largest(got), 0.01) << "zeros would not do";
  for (std::size_t i = 0; i < d_; ++i) {
    std::vector<double> above = theta_, below = theta_;
    above[i] += h;
    below[i] -= h;
    EXPECT_NEAR(got[i], (objective(above) - objective(below)) / (2.0 * h), 1e-6 * std::max(1.0, largest(got))) << i;
  }
}

TEST_P(Fisher, StepDivergencesAddUpToHalfTheRenyiDivergence) {
  const auto* steps = dynamic_cast<const StepwiseEvidence*>(evidence_.get());
  if (steps == nullptr) return;  // moments have no steps
  std::vector<double> divergences(as_size(batch_.steps()), kNan), log_ratio(8), renyi(8);
  steps->step_divergences(theta_, behavior_, 0, 2, divergences.data());
  evidence_->compare(theta_, 2.0, 0, 2, log_ratio.data(), renyi.data(), nullptr);
  for (Index j = 0; j < batch_.size(); ++j) {
    double sum = 0.0;
    for (Index t = batch_.begin(j); t < batch_.begin(j + 1); ++t) sum += divergences[as_size(t)];
    EXPECT_NEAR(2.0 * sum, renyi[as_size(j)], 1e-11 * renyi[as_size(j)]);
    EXPECT_GT(sum, 0.0);
  }
  std::vector<double> second(as_size(batch_.steps() - batch_.begin(kChunk)), kNan);
  steps->step_divergences(theta_, behavior_, 1, 2, second.data());
  EXPECT_EQ(bits(second), bits(std::span(divergences).subspan(as_size(batch_.begin(kChunk)))));
}

TEST_P(Fisher, RenyiGradientIsZeroAtTheBehaviorToTheLastBit) {
  for (const double number : renyi_rows(*evidence_, behavior_, weights_)) EXPECT_EQ(number, 0.0);
}

TEST_P(Fisher, ProductIsTheSumOfJacobianProductsOverDecisions) {
  std::vector<double> expected(d_, 0.0);
  double trace = 0.0;
  for (Index j = 0; j < batch_.size(); ++j) {
    for (Index t = batch_.begin(j); t < batch_.begin(j + 1); ++t) {
      const auto slopes = jacobian(*policy_, theta_, reference::observation(batch_, t));
      for (std::size_t u = 0; u < slopes.size(); ++u) {
        const double factor = weights_[as_size(j)] / GetParam().variance[u];
        const double along = inner(slopes[u], vector_);
        for (std::size_t i = 0; i < d_; ++i) expected[i] += factor * slopes[u][i] * along;
        trace += factor * inner(slopes[u], slopes[u]);
      }
    }
  }
  const std::vector<double> got = added(fisher_rows(*evidence_, theta_, weights_, vector_), d_);
  for (std::size_t i = 0; i < d_; ++i) EXPECT_NEAR(got[i], expected[i], 1e-7 * largest(expected)) << i;
  std::array<double, 2> traces{kNan, kNan};
  fisher_.fisher_trace(theta_, padded(weights_).data(), 0, 2, traces.data());
  EXPECT_NEAR(traces[0] + traces[1], trace, 1e-7 * std::abs(trace));
  EXPECT_GT(std::abs(trace), 0.1);
}

TEST_P(Fisher, IsSymmetricAndPositive) {
  const std::vector<double> other = random_numbers(count_, 1.0, 5);
  const std::vector<double> a = added(fisher_rows(*evidence_, theta_, positive_, vector_), d_);
  const std::vector<double> b = added(fisher_rows(*evidence_, theta_, positive_, other), d_);
  EXPECT_NEAR(inner(a, other), inner(b, vector_), 1e-11 * std::sqrt(inner(a, vector_) * inner(b, other)));
  for (std::uint64_t seed = 6; seed < 26; ++seed) {
    const std::vector<double> x = random_numbers(count_, 1.0, seed);
    EXPECT_GT(inner(added(fisher_rows(*evidence_, theta_, positive_, x), d_), x), 0.0);
  }
}

TEST_P(Fisher, TraceOfEveryChunkIsThatOfItsProductsWithUnitVectors) {
  std::array<double, 2> own{kNan, kNan}, by_products{kNan, kNan};
  const std::vector<double> weights = padded(weights_);
  fisher_.fisher_trace(theta_, weights.data(), 0, 2, own.data());
  fisher_.FisherEvidence::fisher_trace(theta_, weights.data(), 0, 2, by_products.data());
  for (std::size_t chunk = 0; chunk < 2; ++chunk) {
    EXPECT_NEAR(own[chunk], by_products[chunk], 1e-12 * std::abs(by_products[chunk]));
  }
}

TEST_P(Fisher, PartsOfTheBatchAnswerAsTheWholeDoes) {
  const std::vector<double> weights = padded(weights_);
  std::vector<double> distance(d_, kNan), product(d_, kNan);
  double trace = kNan;
  std::array<double, 2> traces{kNan, kNan};
  as<RenyiGradientEvidence>(*evidence_).renyi_gradient(theta_, weights.data() + kChunk, 1, 2, distance.data());
  fisher_.fisher_product(theta_, weights.data() + kChunk, vector_, 1, 2, product.data());
  fisher_.fisher_trace(theta_, weights.data() + kChunk, 1, 2, &trace);
  fisher_.fisher_trace(theta_, weights.data(), 0, 2, traces.data());
  const auto second = [&](const std::vector<double>& rows) { return bits(std::span(rows).subspan(d_)); };
  EXPECT_EQ(bits(distance), second(renyi_rows(*evidence_, theta_, weights_)));
  EXPECT_EQ(bits(product), second(fisher_rows(*evidence_, theta_, weights_, vector_)));
  EXPECT_EQ(trace, traces[1]);
}

const LinearGaussianOptions kPlain{.observation_size = 4, .action_size = 1, .variance = {0.3}};
const LinearGaussianOptions kRich{.observation_size = 3,
                                  .action_size = 2,
                                  .variance = {0.1, 0.5},
                                  .bias = true,
                                  .shift = {0.3, -0.2, 0.1},
                                  .scale = {1.5, 0.5, 2.0}};

MlpGaussianOptions rich_network(std::vector<Index> hidden, Activation activation) {
  return {.observation_size = 3,
          .action_size = 2,
          .hidden = std::move(hidden),
          .activation = activation,
          .bias = true,
          .variance = {0.1, 0.5},
          .shift = {0.3, -0.2, 0.1},
          .scale = {1.5, 0.5, 2.0},
          .action_shift = {0.4, -0.1},
          .action_scale = {1.7, 0.6}};
}

INSTANTIATE_TEST_SUITE_P(
    Policies, Fisher,
    testing::Values(linear("Moments", kPlain, EvidenceKind::kMoments), linear("Steps", kPlain, EvidenceKind::kSteps),
                    linear("RichMoments", kRich, EvidenceKind::kMoments),
                    linear("RichSteps", kRich, EvidenceKind::kSteps),
                    network("Tanh", {.observation_size = 4, .action_size = 1, .hidden = {9, 5}, .variance = {0.3}}),
                    network("RichTanh", rich_network({5, 4}, Activation::kTanh)),
                    network("RichRelu", rich_network({8, 8}, Activation::kRelu)),
                    network("RichIdentity", rich_network({3}, Activation::kIdentity)),
                    network("RichWithoutHiddenLayers", rich_network({}, Activation::kTanh))),
    [](const testing::TestParamInfo<Case>& shown) { return shown.param.name; });

void expect_close(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-10 * std::max(1.0, std::abs(b[i]))) << i;
}

/// Two policies of one parametrization must answer alike on the same steps.
void expect_the_same(const Policy& one, const Policy& other) {
  const std::vector<double> behavior = random_numbers(one.parameter_count(), 0.5, 11);
  const std::vector<double> theta = sum_of(behavior, random_numbers(one.parameter_count(), 0.2, 12));
  const std::vector<double> vector = random_numbers(one.parameter_count(), 1.0, 13), weights = {0.5, -2.0, 1.0};
  const TrajectoryBatch batch = drawn(one, {0.1, 0.5}, behavior, std::array<Index, 3>{9, 1, 30}, 14);
  const auto a = one.digest(behavior, batch, 1.0, Credit::kOne), b = other.digest(behavior, batch, 1.0, Credit::kOne);
  expect_close(renyi_rows(*a, theta, weights), renyi_rows(*b, theta, weights));
  expect_close(fisher_rows(*a, theta, weights, vector), fisher_rows(*b, theta, weights, vector));
}

TEST(FisherOfTheLinearPolicy, IsTheSameFromMomentsAndFromSteps) {
  const Case moments = linear("", kRich, EvidenceKind::kMoments), steps = linear("", kRich, EvidenceKind::kSteps);
  expect_the_same(*moments.make(), *steps.make());
}

TEST(FisherOfTheLinearPolicy, IsThatOfANetworkWithoutHiddenLayers) {
  LinearGaussianOptions options = kRich;  // without a bias the parameters stand in the same order
  options.bias = false;
  MlpGaussianOptions mlp = rich_network({}, Activation::kTanh);
  mlp.bias = false;
  mlp.action_shift = mlp.action_scale = {};
  expect_the_same(*linear("", options, EvidenceKind::kSteps).make(), *mlp_gaussian(mlp));
}

}  // namespace
}  // namespace retropg::test
