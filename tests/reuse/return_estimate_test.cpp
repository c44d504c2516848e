#include "retropg/reuse/return_estimate.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/scripted_evidence.hpp"

namespace retropg::test {
namespace {

TEST(ReturnEstimate, OfEqualWeightsIsTheMeanOfASample) {
  const ReturnEstimate estimate = return_estimate(std::vector{1.0, 2.0, 6.0});
  EXPECT_DOUBLE_EQ(estimate.mean, 3.0);
  EXPECT_DOUBLE_EQ(estimate.variance, (4.0 + 1.0 + 9.0) / 3.0);
  EXPECT_DOUBLE_EQ(estimate.effective, 3.0);
  EXPECT_EQ(estimate.trajectories, 3);
}

TEST(ReturnEstimate, NormalizesTheWeights) {
  const std::vector<double> returns{10.0, 20.0, 40.0};
  for (const double scale : {1.0, 1e-200, 1e130}) {
    const ReturnEstimate estimate = return_estimate(std::vector{scale, 2.0 * scale, scale}, returns);
    EXPECT_DOUBLE_EQ(estimate.mean, 22.5);  // (10 + 2 * 20 + 40) / 4
    const double squares = 6.0 / 16.0;
    EXPECT_DOUBLE_EQ(estimate.effective, 1.0 / squares);
    // sum w^2 (R - 22.5)^2 = (12.5^2 + 4 * 2.5^2 + 17.5^2) / 16
    EXPECT_DOUBLE_EQ(estimate.variance, (156.25 + 25.0 + 306.25) / 16.0 / squares);
  }
}

TEST(ReturnEstimate, KnowsNothingWithoutWeight) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& c : {std::vector{0.0, 0.0}, {infinity, 1.0}, {1e308, 1e308}}) {
    const ReturnEstimate estimate = return_estimate(c, std::vector{1.0, 2.0});
    EXPECT_EQ(estimate.effective, 0.0);
    EXPECT_EQ(estimate.mean, 0.0);
    EXPECT_EQ(estimate.variance, 0.0);
    EXPECT_EQ(estimate.trajectories, 2);
  }
  EXPECT_EQ(return_estimate(std::vector<double>()).effective, 0.0);
}

TEST(ReturnEstimate, OfAWindowPairsWeightsWithReturns) {
  // Batches of 3 and 5 trajectories, so that chunks have padding.
  Window window(kFullReuse);
  window.push({}, scripted({0.0, 0.0, 0.0}), 1.0, {}, {1.0, 2.0, 3.0});
  window.push({}, scripted({0.0, 0.0, 0.0, 0.0, 0.0}), 1.0, {}, {4.0, 5.0, 6.0, 7.0, 8.0});
  Weights weights;
  weights.c = {0.1, 0.0, 0.3, 0.0, 0.0, 0.2, 0.0, 0.1, 0.3, 0.0, 0.0, 0.0};
  const ReturnEstimate estimate = return_estimate(window, weights);
  EXPECT_DOUBLE_EQ(estimate.mean, 0.1 * 1.0 + 0.3 * 3.0 + 0.2 * 5.0 + 0.1 * 7.0 + 0.3 * 8.0);
  EXPECT_EQ(estimate.trajectories, 8);
  const ReturnEstimate older = return_estimate(window, weights, 1);
  EXPECT_DOUBLE_EQ(older.mean, (0.1 * 1.0 + 0.3 * 3.0) / 0.4) << "without the newest entry";
  EXPECT_EQ(older.trajectories, 3);
  EXPECT_EQ(return_estimate(window, weights, 2).effective, 0.0) << "without both";
}

TEST(ReturnEstimate, KnowsWhichShareOfTheWeightIsAtTheEnds) {
  const ReturnEstimate estimate =
      return_estimate(std::vector{1.0, 2.0, 1.0, 4.0}, std::vector{200.0, 7.0, 200.0, 12.0});
  EXPECT_EQ(estimate.smallest, 7.0);
  EXPECT_EQ(estimate.largest, 200.0);
  EXPECT_DOUBLE_EQ(estimate.at_smallest, 0.25);
  EXPECT_DOUBLE_EQ(estimate.at_largest, 0.25);
}

}  // namespace
}  // namespace retropg::test
