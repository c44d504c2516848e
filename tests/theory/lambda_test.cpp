#include "retropg/theory/lambda.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace retropg::theory {
namespace {

// The numbers were worked out from the formulas of Theorems 5.1 and 5.2 beside the library.

TEST(HistoryIndependentLambda, IsThatOfTheorem51) {
  EXPECT_NEAR(history_independent_lambda(4.0, 0.2, 2.0, 80.0), 0.270439084166014, 1e-12);
  EXPECT_NEAR(history_independent_lambda(1.0, 0.05, 1.0, 10.0), 0.798956965280946, 1e-12);
  EXPECT_NEAR(history_independent_lambda(102.0, 0.01, 8.0, 1e6), 0.00558815169275211, 1e-12);
}

TEST(HistoryIndependentLambda, FallsWithTheRootOfTheDataAndOfTheDivergence) {
  const double once = history_independent_lambda(4.0, 0.2, 2.0, 80.0);
  EXPECT_NEAR(history_independent_lambda(4.0, 0.2, 2.0, 320.0), once / 2.0, 1e-14);
  EXPECT_NEAR(history_independent_lambda(4.0, 0.2, 18.0, 80.0), once / 3.0, 1e-14);
  EXPECT_GT(history_independent_lambda(4.0, 0.1, 2.0, 80.0), once);  // surer is larger
}

TEST(MpmLipschitz, IsTheSmoothnessTimesTheLargestWeightsGrowth) {
  const HistoryDependentBounds bounds{
      .gradient_bound = 3.0, .hessian_bound = 5.0, .score_bound = 0.7, .horizon = 20.0, .step_size = 0.01};
  EXPECT_NEAR(mpm_lipschitz(bounds, 2.0, 80.0), 561.859204054856, 1e-10);
  const HistoryDependentBounds one{
      .gradient_bound = 1.0, .hessian_bound = 0.0, .score_bound = 2.0, .horizon = 1.0, .step_size = 1.0};
  EXPECT_NEAR(mpm_lipschitz(one, 1.0, 1.0), 2.0 * (1.0 + std::sqrt(0.75)), 1e-14);
}

TEST(HistoryDependentLambda, IsThatOfTheorem52) {
  const HistoryDependentBounds first{
      .gradient_bound = 3.0, .hessian_bound = 5.0, .score_bound = 0.7, .horizon = 20.0, .step_size = 0.01};
  EXPECT_NEAR(history_dependent_lambda(first, 4.0, 2.0, 1600.0, 8.0), 0.162641650101759, 1e-12);
  const HistoryDependentBounds second{
      .gradient_bound = 1.0, .hessian_bound = 2.0, .score_bound = 0.5, .horizon = 10.0, .step_size = 0.001};
  EXPECT_NEAR(history_dependent_lambda(second, 9.0, 4.0, 800.0, 16.0), 0.184310309617996, 1e-12);
  EXPECT_NEAR(history_dependent_lambda(second, 9.0, 4.0, 50.0, 1.0), 0.420695370181572, 1e-12);
}

TEST(HistoryDependentLambda, WithoutStepsIsTheIndependentOneAtItsConfidence) {
  // With step size 0 the cover is the same, and delta_k = 1 / M^2.
  const HistoryDependentBounds still{
      .gradient_bound = 3.0, .hessian_bound = 5.0, .score_bound = 0.7, .horizon = 20.0, .step_size = 0.0};
  EXPECT_NEAR(history_dependent_lambda(still, 4.0, 2.0, 80.0, 8.0),
              history_independent_lambda(4.0, 1.0 / 6400.0, 2.0, 80.0), 1e-14);
}

}  // namespace
}  // namespace retropg::theory
