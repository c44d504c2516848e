#include "retropg/solver/line_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ParabolicSearch, FindsTheTopOfAParabolaInThreeEvaluations) {
  for (const double top : {0.01, 0.3, 1.0, 1.9}) {
    const LineSearch found = parabolic_search([top](double step) { return step - step * step / (2.0 * top); });
    EXPECT_NEAR(found.step, top, 1e-12 * top);
    EXPECT_NEAR(found.gain, 0.5 * top, 1e-12);
    EXPECT_LE(found.evaluations, 3);
  }
}

TEST(ParabolicSearch, DoublesTheStepUntilTheTopIsNear) {
  // Beyond step / (2 (step - gain)) = 2 the step is doubled: 1, 2, 4, 8, and then the top itself.
  const LineSearch found = parabolic_search([](double step) { return step - step * step / 24.0; });
  EXPECT_NEAR(found.step, 12.0, 1e-12);
  EXPECT_EQ(found.evaluations, 6);
}

TEST(ParabolicSearch, ComesBackFromStepsThatAreMuchTooLong) {
  const LineSearch found = parabolic_search([](double step) { return step - 1e6 * step * step * step; });
  EXPECT_GT(found.gain, 0.0);
  EXPECT_LT(found.step, 1e-3);
}

TEST(ParabolicSearch, StaysWhereNothingIsGained) {
  const LineSearch found = parabolic_search([](double step) { return -step; });
  EXPECT_EQ(found.step, 0.0);
  EXPECT_EQ(found.gain, 0.0);
}

TEST(ParabolicSearch, NeverGivesAPointThatIsWorseThanTheStart) {
  for (int shape = 0; shape < 200; ++shape) {
    const auto gain = [shape](double step) { return std::sin(7.0 * shape + 3.0 * step) * step * (shape % 7 - 3); };
    const LineSearch found = parabolic_search(gain);
    EXPECT_GE(found.gain, 0.0);
    EXPECT_EQ(found.gain, found.step == 0.0 ? 0.0 : gain(found.step));
    EXPECT_LE(found.evaluations, 30);
  }
}

TEST(ParabolicSearch, ShortensTheStepWhereTheGainIsNotFinite) {
  for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
    const auto gain = [bad](double step) { return step > 0.05 ? bad : step - step * step; };
    const LineSearch found = parabolic_search(gain);
    EXPECT_GT(found.step, 0.0);
    EXPECT_LE(found.step, 0.05);
    EXPECT_EQ(found.gain, gain(found.step));
  }
}

TEST(ParabolicSearch, GoesBackToTheLastPointThatWasFinite) {
  const LineSearch found = parabolic_search([](double step) { return step > 4.0 ? std::nan("") : step; });
  EXPECT_EQ(found.step, 4.0);
  EXPECT_EQ(found.evaluations, 4);
}

TEST(ParabolicSearch, GivesUpAfterThirtyEvaluations) {
  const LineSearch growing = parabolic_search([](double step) { return step; });
  EXPECT_EQ(growing.evaluations, 30);
  EXPECT_EQ(growing.step, std::ldexp(1.0, 29));
  const LineSearch nowhere = parabolic_search([](double) { return -kInfinity; });
  EXPECT_EQ(nowhere.evaluations, 30);
  EXPECT_EQ(nowhere.step, 0.0);
  EXPECT_EQ(nowhere.gain, 0.0);
}

}  // namespace
}  // namespace retropg::test
