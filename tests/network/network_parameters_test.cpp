#include "retropg/network/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "retropg/policy/mlp_gaussian.hpp"

namespace retropg::test {
namespace {

TEST(Network, CountsItsParameters) {
  EXPECT_EQ((NetworkShape{.sizes = {17, 32, 32, 6}}).parameter_count(), 1760);  // Half Cheetah in the paper
  EXPECT_EQ((NetworkShape{.sizes = {8, 32, 32, 2}}).parameter_count(), 1344);   // Swimmer in the paper
  EXPECT_EQ((NetworkShape{.sizes = {4, 1}}).parameter_count(), 4);
  EXPECT_EQ((NetworkShape{.sizes = {4, 1}, .bias = true}).parameter_count(), 5);
  EXPECT_EQ((NetworkShape{.sizes = {2, 3, 5, 1}, .bias = true}).parameter_count(), 9 + 20 + 6);
  EXPECT_EQ(mlp_gaussian({.observation_size = 17, .action_size = 6})->parameter_count(), 1760) << "32 x 32 by default";
}

TEST(Network, OrdersParametersLayerByLayerOutputsFirst) {
  // 2 observations, 3 hidden units, 2 actions, identity: the mean is W2 W1 s, written out.
  const auto policy =
      mlp_gaussian({.observation_size = 2, .action_size = 2, .hidden = {3}, .activation = Activation::kIdentity});
  const std::vector<double> theta{1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31}, s{10, 0.5};
  std::vector<double> mean(2);
  policy->mean(theta, s, mean);
  const double h0 = 1 * 10 + 2 * 0.5, h1 = 3 * 10 + 5 * 0.5, h2 = 7 * 10 + 11 * 0.5;
  EXPECT_EQ(mean, (std::vector<double>{13 * h0 + 17 * h1 + 19 * h2, 23 * h0 + 29 * h1 + 31 * h2}));
}

TEST(Network, PutsTheBiasesOfALayerAfterItsMatrix) {
  const auto policy = mlp_gaussian(
      {.observation_size = 2, .action_size = 1, .hidden = {2}, .activation = Activation::kRelu, .bias = true});
  const std::vector<double> theta{1, 2, 3, 5, 7, -1000, 11, 13, 17}, s{10, 0.5};
  std::vector<double> mean(1);
  policy->mean(theta, s, mean);
  EXPECT_EQ(mean[0], 11.0 * (1 * 10 + 2 * 0.5 + 7) + 13.0 * 0.0 + 17.0) << "the second unit is off";
}

TEST(Network, StartsWithinGlorotsBounds) {
  const NetworkShape shape{.sizes = {17, 32, 32, 6}};
  const std::vector<double> theta = xavier_uniform(shape, 3);
  ASSERT_EQ(theta.size(), 1760u);
  std::size_t next = 0;
  for (Index layer = 0; layer < 3; ++layer) {
    const double bound = std::sqrt(6.0 / static_cast<double>(shape.size(layer) + shape.size(layer + 1)));
    double largest = 0.0, smallest = 0.0, squares = 0.0;
    const Index count = shape.size(layer) * shape.size(layer + 1);
    for (Index i = 0; i < count; ++i, ++next) {
      largest = std::max(largest, theta[next]);
      smallest = std::min(smallest, theta[next]);
      squares += theta[next] * theta[next];
    }
    EXPECT_LE(largest, bound);
    EXPECT_GE(smallest, -bound);
    // All of 192 or more uniform numbers miss the outer twentieth at one end with probability 0.975^192 = 0.8 % each;
    // the seed is fixed.
    EXPECT_GT(largest, 0.95 * bound);
    EXPECT_LT(smallest, -0.95 * bound);
    // The variance is bound^2 / 3, and a mean of squares has the relative standard error sqrt(4 / 5 / count).
    const double n = static_cast<double>(count);
    EXPECT_NEAR(squares / n / (bound * bound / 3.0), 1.0, 4.0 * std::sqrt(0.8 / n));
  }
}

TEST(Network, StartsWithBiasesOfZeroAndTheSameWeightsOtherwise) {
  const std::vector<double> plain = xavier_uniform({.sizes = {3, 4, 2}}, 5);
  const std::vector<double> biased = xavier_uniform({.sizes = {3, 4, 2}, .bias = true}, 5);
  std::vector<double> expected(plain.begin(), plain.begin() + 12);
  expected.resize(16, 0.0);
  expected.insert(expected.end(), plain.begin() + 12, plain.end());
  expected.resize(26, 0.0);
  EXPECT_EQ(biased, expected);
}

TEST(Network, StartsAgainTheSameAndDifferentlyForAnotherSeed) {
  const auto policy = mlp_gaussian({.observation_size = 4, .action_size = 1});
  EXPECT_EQ(policy->initial_parameters(1), policy->initial_parameters(1));
  const std::vector<double> a = policy->initial_parameters(1), b = policy->initial_parameters(2);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NE(a[i], b[i]);
  const std::set<double> values(a.begin(), a.end());
  EXPECT_EQ(values.size(), a.size()) << "no number is drawn twice";
}

}  // namespace
}  // namespace retropg::test
