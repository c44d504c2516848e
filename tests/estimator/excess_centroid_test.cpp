#include <gtest/gtest.h>

#include <vector>

#include "retropg/estimator/excess_centroid.hpp"

namespace retropg::test {
namespace {

using Draws = std::vector<std::vector<double>>;

std::vector<double> centroid(const Draws& draws, const std::vector<double>& returns) {
  return excess_centroid(std::vector<Parameters>(draws.begin(), draws.end()), returns);
}

TEST(ExcessCentroid, WeighsTheBestQuarterByTheCubeOfWhatIsAboveTheBestLeftOut) {
  const Draws draws = {{1.0, 0.0}, {9.0, 9.0}, {2.0, 1.0}, {9.0, 9.0}, {4.0, 3.0}, {9.0, 9.0},
                       {9.0, 9.0}, {9.0, 9.0}, {9.0, 9.0}, {9.0, 9.0}, {9.0, 9.0}, {9.0, 9.0}};
  // Twelve draws: three are taken, and 5 is the highest return left out.
  const std::vector<double> returns = {6.0, 5.0, 7.0, 1.0, 8.0, 2.0, 0.0, -3.0, 4.0, 3.0, 2.5, 1.5};
  const double total = 1.0 + 8.0 + 27.0;
  const std::vector<double> result = centroid(draws, returns);
  EXPECT_NEAR(result[0], (1.0 * 1.0 + 8.0 * 2.0 + 27.0 * 4.0) / total, 1e-15);
  EXPECT_NEAR(result[1], (8.0 * 1.0 + 27.0 * 3.0) / total, 1e-15);
}

TEST(ExcessCentroid, TakesAQuarterRoundedUpOfManyDraws) {
  Draws draws;
  std::vector<double> returns;
  for (int i = 0; i < 17; ++i) {
    draws.push_back({static_cast<double>(i)});
    returns.push_back(static_cast<double>(i));
  }
  // Five of 17: 12 to 16, with 11 as the highest left out.
  double sum = 0.0, total = 0.0;
  for (int i = 12; i < 17; ++i) {
    sum += (i - 11) * (i - 11) * (i - 11) * i;
    total += (i - 11) * (i - 11) * (i - 11);
  }
  EXPECT_NEAR(centroid(draws, returns)[0], sum / total, 1e-14);
}

TEST(ExcessCentroid, WeighsAllDrawsWithTheBestReturnAlikeIfTheBestLeftOutHasIt) {
  const Draws draws = {{1.0}, {2.0}, {3.0}, {6.0}, {-100.0}};
  EXPECT_EQ(centroid(draws, {200.0, 200.0, 200.0, 200.0, 7.0}), std::vector<double>{3.0});
  EXPECT_EQ(centroid({{1.0}, {3.0}}, {5.0, 5.0}), std::vector<double>{2.0});
}

TEST(ExcessCentroid, OfFewDrawsLeavesOutTheWorst) {
  EXPECT_EQ(centroid({{4.0}}, {-1e9}), std::vector<double>{4.0});
  EXPECT_EQ(centroid({{4.0}, {8.0}}, {1.0, 2.0}), std::vector<double>{8.0});
  EXPECT_EQ(centroid({{4.0}, {8.0}, {0.0}}, {2.0, 2.0, 1.0}), std::vector<double>{6.0});
}

TEST(ExcessCentroid, DoesNotDependOnTheUnitOfReturnsUpToTheLargestNumbers) {
  const Draws draws = {{1.0}, {2.0}, {3.0}, {5.0}, {7.0}};
  const std::vector<double> returns = {-4.0, 1.0, 2.0, 3.0, 4.0};
  std::vector<double> huge = returns;
  for (double& value : huge) value *= 1e300;
  EXPECT_NEAR(centroid(draws, returns)[0], centroid(draws, huge)[0], 1e-14);
}

}  // namespace
}  // namespace retropg::test
