#include "retropg/estimator/recombination.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "retropg/core/random.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

constexpr std::size_t kSize = 3;
constexpr double kNoLimit = 1e9;
constexpr double kValue = 5.0;  // of the first elite

struct Drawn final : DrawnParametersEvidence {
  std::vector<std::vector<double>> rows;
  Parameters drawn_parameters(Index trajectory) const override { return rows[as_size(trajectory)]; }
};

/// Draws around xi.
Drawn drawn(const std::vector<double>& xi, std::size_t count, std::uint64_t seed) {
  RandomStream random({.seed = seed});
  Drawn result;
  for (std::size_t j = 0; j < count; ++j) {
    result.rows.emplace_back(kSize);
    for (std::size_t i = 0; i < kSize; ++i) result.rows[j][i] = xi[i] + std::exp(xi[kSize + i]) * random.normal();
  }
  return result;
}

std::vector<double> start() {
  return {1.0, -1.0, 0.5, std::log(0.5), std::log(2.0), std::log(0.1)};
}

Recombination begun(const std::vector<double>& xi) {
  Recombination result;
  result.wait(1000, false, Parameters(xi).first(kSize), kValue);
  return result;
}

std::vector<double> mean_of(const std::vector<double>& xi) {
  return {xi.begin(), xi.begin() + kSize};
}

SavedState saved(Recombination& recombination) {
  Archive archive(Archive::Mode::kSave);
  recombination.state(archive, kSize);
  return archive.state();
}

void restore(Recombination& recombination, const SavedState& state) {
  Archive archive(state);
  recombination.state(archive, kSize);
}

TEST(Recombination, BeginsAfterTwoGenerationsOfDrawsWithoutALeap) {
  EXPECT_EQ(generation_size(3), 7);
  EXPECT_EQ(generation_size(100), 17);
  const std::vector<double> mean(kSize, 0.0);
  Recombination recombination;
  recombination.wait(13, false, mean, kValue);
  EXPECT_FALSE(recombination.begun());
  recombination.wait(1, true, mean, kValue);
  recombination.wait(13, false, mean, kValue);
  EXPECT_FALSE(recombination.begun()) << "a leap starts the count anew";
  recombination.wait(1, false, mean, kValue);
  EXPECT_TRUE(recombination.begun());
}

TEST(Recombination, PlansDrawsAndTwoEvaluationsPerGeneration) {
  const std::vector<double> xi = start();
  const Recombination recombination = begun(xi);
  const std::vector<Draw> draws = recombination.plan(xi, 1000);
  ASSERT_EQ(draws.size(), 3U);
  EXPECT_EQ(draws[0].count, 5);
  EXPECT_EQ(draws[0].spread, 1.0);
  for (const std::size_t k : {1U, 2U}) {
    EXPECT_EQ(draws[k].count, 1);
    EXPECT_EQ(draws[k].spread, 0.0);
    EXPECT_EQ(draws[k].behavior, xi);
  }
  EXPECT_EQ(recombination.plan(xi, 4)[0].count, 2);
  ASSERT_EQ(recombination.plan(xi, 3).size(), 1U) << "the budget has no room for evaluations";
  EXPECT_EQ(recombination.plan(xi, 3)[0].count, 3);
}

/// Two generations from the formula.
TEST(Recombination, StepsToTheMeanOfTheDrawsAndAdaptsDeviationsToThePath) {
  std::vector<double> xi = start(), path(kSize, 0.0);
  Recombination recombination = begun(xi);
  const std::vector<double> returns = {4.0, 1.0, 3.0, 2.0};  // ranks from above: 1/8, 7/8, 3/8, 5/8
  const double best = std::log(0.5) - std::log(0.125), second = std::log(0.5) - std::log(0.375);
  const std::vector<double> factor = {best / (best + second) - 0.25, -0.25, second / (best + second) - 0.25, -0.25};
  double squares = 0.0;
  for (const double f : factor) squares += f * f;
  const double n = 1.0 / squares, c = (n + 2.0) / (3.0 + n + 5.0);
  const double chi = std::sqrt(3.0) * (1.0 - 1.0 / 12.0 + 1.0 / 189.0);
  for (const std::uint64_t seed : {1U, 2U}) {
    const Drawn draws = drawn(xi, 4, seed);
    std::vector<double> expected = xi, h(kSize, 0.0);
    double length = 0.0;
    for (std::size_t i = 0; i < kSize; ++i) {
      double g = 0.0;
      for (std::size_t j = 0; j < 4; ++j) {
        const double z = (draws.rows[j][i] - xi[i]) / std::exp(xi[kSize + i]);
        g += factor[j] * z;
        h[i] += factor[j] * (z * z - 1.0);
      }
      expected[i] += std::exp(xi[kSize + i]) * g;
      path[i] = (1.0 - c) * path[i] + std::sqrt(c * (2.0 - c) * n) * g;
      length += path[i] * path[i];
    }
    for (std::size_t i = 0; i < kSize; ++i) {
      expected[kSize + i] += c / (1.0 + c) * (std::sqrt(length) / chi - 1.0) +
                             (path[i] * path[i] - 1.0 + (n - 2.0 + 1.0 / n) * h[i]) / 9.0;
    }
    xi = recombination.stepped(xi, draws, returns, {}, kNoLimit);
    for (std::size_t i = 0; i < xi.size(); ++i) EXPECT_NEAR(xi[i], expected[i], 1e-12) << "parameter " << i;
  }
}

TEST(Recombination, StaysWhereNoDrawIsBetterAndLimitsDeviations) {
  const std::vector<double> xi = start();
  Recombination recombination = begun(xi);
  const Drawn draws = drawn(xi, 5, 1);
  EXPECT_EQ(recombination.stepped(xi, draws, std::vector<double>(5, 1.0), {}, kNoLimit), xi);
  const std::vector<double> next =
      recombination.stepped(xi, draws, std::vector<double>{1.0, 2.0, 3.0, 4.0, 4.5}, {}, 1e-4);
  double largest = 0.0;
  for (std::size_t i = kSize; i < 2 * kSize; ++i) largest = std::max(largest, std::abs(next[i] - xi[i]));
  EXPECT_NEAR(largest, 1e-4, 1e-12) << "the limit is reached";
}

const std::vector<double> kReturns = {4.0, 3.0, 2.0, 1.0};  // quartiles 3 and 1: back from 3 below the elite on

TEST(Recombination, TakesNoStepFromLessThanHalfOfAGeneration) {
  const std::vector<double> xi = start();
  Recombination recombination = begun(xi);
  EXPECT_EQ(recombination.stepped(xi, drawn(xi, 2, 1), std::vector<double>{1.0, 2.0}, {}, kNoLimit), xi);
  EXPECT_NE(recombination.stepped(xi, drawn(xi, 3, 1), std::vector<double>{1.0, 2.0, 3.0}, {}, kNoLimit), xi);
}

TEST(Recombination, GoesBackToTheEliteIfTheMeanFallsFarBelowIt) {
  const std::vector<double> xi = start();
  const std::vector<double> elsewhere = {3.0, 3.0, 3.0, xi[3], xi[4], xi[5]};
  const Drawn draws = drawn(elsewhere, 4, 1);
  Recombination near = begun(xi), far = begun(xi);
  EXPECT_NE(mean_of(near.stepped(elsewhere, draws, kReturns, std::vector<double>{2.01, kValue}, kNoLimit)),
            mean_of(xi));
  EXPECT_EQ(mean_of(far.stepped(elsewhere, draws, kReturns, std::vector<double>{1.99, kValue}, kNoLimit)), mean_of(xi));
}

TEST(Recombination, AveragesTheReturnsOfTheElite) {
  const std::vector<double> xi = start();
  Recombination recombination = begun(xi);
  const Drawn draws = drawn(xi, 4, 1);
  recombination.stepped(xi, draws, kReturns, std::vector<double>{4.0, 9.0}, kNoLimit);
  EXPECT_EQ(saved(recombination).numbers.at("recombination_value"), std::vector<double>{7.0});
  recombination.stepped(xi, draws, kReturns, std::vector<double>{4.0, 1.0}, kNoLimit);
  EXPECT_EQ(saved(recombination).numbers.at("recombination_value"), std::vector<double>{5.0});
}

TEST(Recombination, GoesBackFromAMeanThatBroke) {
  const std::vector<double> xi = start();
  const std::vector<double> elsewhere = {3.0, 3.0, 3.0, xi[3], xi[4], xi[5]};
  Recombination recombination = begun(xi);
  const std::vector<double> broken = {Recombination::kBroken, kValue};
  EXPECT_EQ(mean_of(recombination.stepped(elsewhere, drawn(elsewhere, 4, 1), kReturns, broken, kNoLimit)), mean_of(xi));
}

TEST(Recombination, KeepsTheValueOfAnEliteThatBrokeAndRefusesAChallengerThatDid) {
  const std::vector<double> xi = start();
  Recombination recombination = begun(xi);
  const Drawn draws = drawn(xi, 4, 1);
  const std::vector<double> broken = {4.0, Recombination::kBroken};
  recombination.stepped(xi, draws, std::vector<double>{1.0, 2.0, 8.0, 3.0}, broken, kNoLimit);
  EXPECT_EQ(saved(recombination).numbers.at("recombination_value"), std::vector<double>{kValue});
  ASSERT_EQ(mean_of(recombination.plan(xi, 1000)[2].behavior), draws.rows[2]);
  recombination.stepped(xi, draws, kReturns, broken, kNoLimit);
  EXPECT_EQ(mean_of(recombination.plan(xi, 1000)[2].behavior), mean_of(xi));
  EXPECT_EQ(saved(recombination).numbers.at("recombination_value"), std::vector<double>{kValue});
}

TEST(Recombination, LooksAtABetterDrawTwice) {
  const std::vector<double> xi = start();
  Recombination recombination = begun(xi);
  const Drawn draws = drawn(xi, 4, 1);
  recombination.stepped(xi, draws, std::vector<double>{1.0, 2.0, 8.0, 3.0}, std::vector<double>{4.0, kValue}, kNoLimit);
  const auto looked_at = [&] { return mean_of(recombination.plan(xi, 1000)[2].behavior); };
  EXPECT_EQ(looked_at(), draws.rows[2]);
  Recombination worse = recombination;
  worse.stepped(xi, draws, kReturns, std::vector<double>{4.0, kValue - 1.0}, kNoLimit);
  EXPECT_EQ(mean_of(worse.plan(xi, 1000)[2].behavior), mean_of(xi)) << "the elite stays, and its value";
  EXPECT_EQ(saved(worse).numbers.at("recombination_value"), std::vector<double>{kValue});
  recombination.stepped(xi, draws, kReturns, std::vector<double>{4.0, 6.0}, kNoLimit);
  EXPECT_EQ(looked_at(), draws.rows[2]) << "it is the elite now";
  EXPECT_EQ(saved(recombination).numbers.at("recombination_value"), std::vector<double>{6.0});
  const std::vector<double> moved = {3.0, 3.0, 3.0, xi[3], xi[4], xi[5]};
  recombination.stepped(moved, draws, kReturns, std::vector<double>{7.0, 6.0}, kNoLimit);
  EXPECT_EQ(looked_at(), mean_of(moved)) << "and then the mean is";
}

TEST(Recombination, ContinuesFromASavedStateAndRefusesAnother) {
  const std::vector<double> xi = start();
  Recombination recombination = begun(xi), other;
  const Drawn draws = drawn(xi, 4, 1);
  const std::vector<double> evaluations = {4.0, 6.0};
  const std::vector<double> next =
      recombination.stepped(xi, draws, std::vector<double>{9.0, 3.0, 2.0, 1.0}, evaluations, kNoLimit);
  SavedState state = saved(recombination);
  restore(other, state);
  EXPECT_EQ(other.stepped(next, draws, kReturns, evaluations, kNoLimit),
            recombination.stepped(next, draws, kReturns, evaluations, kNoLimit));
  EXPECT_EQ(saved(other), saved(recombination));
  state.numbers.at("recombination_path").pop_back();
  expect_throw([&] { restore(other, state); }, "the saved elite");
}

}  // namespace
}  // namespace retropg::test
