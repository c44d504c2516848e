#include "retropg/solver/conjugate_gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <limits>
#include <numeric>

#include "retropg/core/numerics.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

/// A symmetric matrix, row by row, that counts its products.
struct Dense {
  std::vector<double> entries;
  Index products = 0;

  MatrixProduct product() {
    return [this](std::span<const double> x, std::span<double> y) {
      ++products;
      for (std::size_t i = 0; i < x.size(); ++i) {
        y[i] = std::inner_product(x.begin(), x.end(), entries.begin() + static_cast<std::ptrdiff_t>(i * x.size()), 0.0);
      }
    };
  }
};

/// A' A of a random matrix.
Dense gram(Index size, std::uint64_t seed) {
  const std::vector<double> a = random_numbers(size * size, 1.0, seed);
  Dense result{.entries = std::vector<double>(a.size(), 0.0)};
  for (Index i = 0; i < size; ++i) {
    for (Index k = 0; k < size; ++k) {
      for (Index r = 0; r < size; ++r)
        result.entries[as_size(i * size + k)] += a[as_size(r * size + i)] * a[as_size(r * size + k)];
    }
  }
  return result;
}

TEST(ConjugateGradient, SolvesSmallSystems) {
  for (const Index size : {1, 2, 5, 12}) {
    Dense matrix = gram(size, static_cast<std::uint64_t>(size));
    const std::vector<double> right = random_numbers(size, 1.0, 7);
    const auto x =
        conjugate_gradient(matrix.product(), right, {.damping = 0.5, .tolerance = 1e-13, .iterations = 10 * size});
    std::vector<double> image(x.size());
    matrix.product()(x, image);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(image[i] + 0.5 * x[i], right[i], 1e-11) << size;
  }
}

TEST(ConjugateGradient, NeedsAProductForEachDifferentEigenvalue) {
  Dense matrix{.entries = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 5, 0, 0, 0, 0, 5}};
  const std::vector<double> right = {1.0, -3.0, 2.0, 0.5};
  const auto x = conjugate_gradient(matrix.product(), right, {.iterations = 100});
  EXPECT_EQ(matrix.products, 2);
  const std::vector<double> expected = {0.5, -1.5, 0.4, 0.1};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(x[i], expected[i], 1e-14);
}

TEST(ConjugateGradient, StopsAtItsLimitAndThenIsBetterThanBefore) {
  const std::vector<double> right = random_numbers(20, 1.0, 8);
  double before = norm(right);
  for (const Index limit : {0, 1, 5, 15}) {
    Dense matrix = gram(20, 9);
    const auto x = conjugate_gradient(matrix.product(), right, {.damping = 5.0, .tolerance = 0.0, .iterations = limit});
    EXPECT_EQ(matrix.products, limit);
    std::vector<double> residual(20);
    matrix.product()(x, residual);
    for (std::size_t i = 0; i < 20; ++i) residual[i] += 5.0 * x[i] - right[i];
    if (limit > 0) {
      EXPECT_LT(norm(residual), before);
    }
    before = norm(residual);
  }
}

TEST(ConjugateGradient, StopsAtItsTolerance) {
  Dense matrix = gram(30, 10);
  const std::vector<double> right = random_numbers(30, 1.0, 11);
  const auto x = conjugate_gradient(matrix.product(), right, {.damping = 1.0, .tolerance = 1e-2, .iterations = 1000});
  EXPECT_LT(matrix.products, 30);
  std::vector<double> residual(30);
  matrix.product()(x, residual);
  for (std::size_t i = 0; i < 30; ++i) residual[i] += x[i] - right[i];
  EXPECT_LE(norm(residual), 1e-2 * norm(right) * (1.0 + 1e-9));
}

TEST(ConjugateGradient, StopsWhereThereIsNoPositiveCurvature) {
  Dense negative{.entries = {-1, 0, 0, -1}};
  EXPECT_EQ(conjugate_gradient(negative.product(), std::vector{1.0, 2.0}, {}), (std::vector{0.0, 0.0}));
  Dense broken{.entries = {std::nan(""), 0, 0, 1}};
  EXPECT_EQ(conjugate_gradient(broken.product(), std::vector{1.0, 2.0}, {}), (std::vector{0.0, 0.0}));
  Dense singular{.entries = {4, 0, 0, 0}};  // solves what can be solved
  EXPECT_EQ(conjugate_gradient(singular.product(), std::vector{1.0, 0.0}, {}), (std::vector{0.25, 0.0}));
}

TEST(ConjugateGradient, NeitherLosesNorHidesLargeNumbers) {
  Dense diagonal{.entries = {2, 0, 0, 4}};
  for (const double size : {1e-200, 1e160, 1e300}) {
    const std::vector<double> x = conjugate_gradient(diagonal.product(), std::vector{size, size}, {});
    EXPECT_NEAR(x[0] / size, 0.5, 1e-12);
    EXPECT_NEAR(x[1] / size, 0.25, 1e-12);
  }
  for (const double broken : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(all_finite(conjugate_gradient(diagonal.product(), std::vector{broken, 1.0}, {})));
  }
}

TEST(ConjugateGradient, OfNothingIsNothing) {
  Dense matrix = gram(3, 12);
  EXPECT_EQ(conjugate_gradient(matrix.product(), std::vector(3, 0.0), {}), std::vector(3, 0.0));
  EXPECT_EQ(matrix.products, 0);
}

}  // namespace
}  // namespace retropg::test
