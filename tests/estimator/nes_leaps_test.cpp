// The leaps of nes, and when it recombines.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "support/expect_throw.hpp"
#include "support/nes_strategy.hpp"

namespace retropg::test {
namespace {

constexpr double kStart = -14.0;  // the reward of parameters 0

TEST(NesLeaps, EvaluatesItsFirstMeanInPlaceOfADraw) {
  Strategy strategy({.batch = 4, .leaps_from = kParameters});
  const std::vector<Draw> draws = strategy.plan();
  ASSERT_EQ(draws.size(), 2U);
  EXPECT_EQ(draws[0].behavior, strategy.xi());
  EXPECT_EQ(draws[0].count, 3);
  EXPECT_EQ(draws[0].spread, 1.0);
  EXPECT_EQ(draws[1].behavior, strategy.xi());
  EXPECT_EQ(draws[1].count, 1);
  EXPECT_EQ(draws[1].spread, 0.0);
  const std::vector<Draw> last = strategy.plan(1);
  ASSERT_EQ(last.size(), 1U) << "the budget has room for one trajectory";
  EXPECT_EQ(last[0].count, 1);
  EXPECT_EQ(Strategy({.batch = 1, .leaps_from = 1}).plan()[0].count, 1) << "there is always a draw";
  EXPECT_EQ(Strategy({.batch = 4, .leaps_from = kParameters + 1}).plan().size(), 1U);
}

TEST(NesLeaps, LeapsToADrawThatIsGoodTwice) {
  Strategy strategy({.batch = 3, .leaps_from = 1});
  const std::vector<double> good = {1.0, 1.5, 2.0};
  strategy.answer({good, {0.1, 0.0, 0.0}}, kStart);
  const std::vector<Draw> draws = strategy.plan();
  ASSERT_EQ(draws.size(), 2U);
  EXPECT_TRUE(std::equal(good.begin(), good.end(), draws[1].behavior.begin()));
  strategy.answer({{0.2, 0.1, 0.1}, {0.0, 0.1, 0.0}}, kStart);
  EXPECT_EQ(mean_of(strategy), good) << "it is not below the best known value";
  EXPECT_EQ(strategy.plan().size(), 2U) << "draws better than the value of the leap challenge it";
  strategy.answer({{-9.0, 0.0, 0.0}, {-8.0, 0.0, 0.0}}, 0.0);
  EXPECT_EQ(strategy.plan().size(), 1U) << "no draw is better than the best known value";
}

TEST(NesLeaps, StaysWhereTheSecondLookIsWorse) {
  Strategy strategy({.batch = 3, .leaps_from = 1});
  const std::vector<double> good = {1.0, 1.5, 2.0};
  strategy.answer({good, {0.1, 0.0, 0.0}}, kStart);
  strategy.answer({{-9.0, 0.0, 0.0}, {-8.0, 0.0, 0.0}}, kStart - 0.1);
  EXPECT_NE(mean_of(strategy), good);
  EXPECT_EQ(strategy.plan().size(), 1U);
}

TEST(NesLeaps, StaysWhereTheSecondLookBreaks) {
  Strategy strategy({.batch = 3, .leaps_from = 1});
  const std::vector<double> good = {1.0, 1.5, 2.0};
  strategy.answer({good, {0.1, 0.0, 0.0}}, kStart);
  strategy.answer({{-9.0, 0.0, 0.0}, {-8.0, 0.0, 0.0}}, std::nullopt);
  EXPECT_NE(mean_of(strategy), good);
  EXPECT_EQ(strategy.plan().size(), 1U) << "no challenger is left";
}

TEST(NesLeaps, EvaluatesItsMeanAgainIfThatBreaks) {
  Strategy strategy({.batch = 3, .leaps_from = 1, .recombine_from = 1});
  for (int k = 0; k < 20; ++k) {
    strategy.answer({{1.0, 1.5, 2.0}, {0.1, 0.0, 0.0}}, std::nullopt);
    ASSERT_EQ(strategy.plan().size(), 2U) << "nothing is known that recombination could begin with";
    EXPECT_EQ(strategy.plan()[1].behavior, strategy.xi());
  }
}

TEST(NesLeaps, ForgetsADiscardedEvaluation) {
  Strategy strategy({.batch = 3, .leaps_from = 1});
  strategy.answer({{1.0, 1.5, 2.0}, {0.1, 0.0, 0.0}}, kStart);
  const SavedState before = strategy.saved();
  strategy.answer({{0.2, 0.1, 0.1}, {0.0, 0.1, 0.0}}, kStart, false);
  EXPECT_EQ(before, strategy.saved());
}

TEST(NesLeaps, RefusesASavedChallengerOfAnotherSize) {
  Strategy strategy({.batch = 3, .leaps_from = 1});
  strategy.answer({{1.0, 1.5, 2.0}, {0.1, 0.0, 0.0}}, kStart);
  SavedState state = strategy.saved();
  ASSERT_NO_THROW(strategy.restore(state));
  state.numbers.at("leaps_challenger").push_back(1.0);
  expect_throw([&] { strategy.restore(state); }, "best known parameters");
}

constexpr NesOptions kRecombining{.batch = 2, .leaps_from = 1, .recombine_from = kParameters};

/// After enough draws without a leap.
Strategy recombining() {
  Strategy strategy(kRecombining);
  for (int k = 0; k < 14; ++k) strategy.answer({{-9.0, 0.0, 0.0}}, kStart);
  return strategy;
}

TEST(NesLeaps, RecombinesWithManyParametersOnceLeapsAreRare) {
  EXPECT_LE(Strategy(kRecombining).plan().size(), 2U);
  Strategy strategy = recombining();
  EXPECT_EQ(strategy.plan().size(), 3U);
  EXPECT_EQ(strategy.plan()[0].count, 5);
  const double before = reward(Parameters(strategy.xi()).first(kParameters));
  for (std::uint64_t seed = 1; seed <= 40; ++seed) strategy.advance(seed);
  EXPECT_GT(reward(Parameters(strategy.xi()).first(kParameters)), 0.05 * before);
}

TEST(NesLeaps, RecommendsWhereItsBestDrawsAreAndWhileRecombiningTheElite) {
  Strategy strategy({.batch = 3, .leaps_from = 1});
  strategy.answer({{1.0, 1.5, 2.0}, {0.1, 0.0, 0.0}}, kStart);
  std::vector<double> best = strategy.xi();
  std::ranges::copy(std::vector{1.0, 1.5, 2.0}, best.begin());
  EXPECT_EQ(strategy.recommended(), best);
  Strategy other = recombining();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) other.advance(seed);
  std::vector<double> elite = other.saved().numbers.at("recombination_elite");
  ASSERT_NE(elite, mean_of(other));
  elite.insert(elite.end(), other.xi().begin() + kParameters, other.xi().end());
  EXPECT_EQ(other.recommended(), elite) << "with the deviations of the mean";
}

TEST(NesLeaps, ContinuesARecombinationBitForBitAndForgetsADiscardedOne) {
  Strategy strategy = recombining(), other(kRecombining);
  strategy.advance(1);
  const SavedState state = strategy.saved();
  strategy.advance(2, false);
  EXPECT_EQ(strategy.saved(), state);
  other.restore(state);
  other.set_xi(strategy.xi());
  for (const std::uint64_t seed : {2U, 3U}) {
    strategy.advance(seed);
    other.advance(seed);
  }
  EXPECT_EQ(strategy.xi(), other.xi());
  EXPECT_EQ(strategy.saved(), other.saved());
}

TEST(NesLeaps, DoesNotRecombineWithFewerParametersOrFixedDeviations) {
  Strategy few({.batch = 2, .leaps_from = 1, .recombine_from = kParameters + 1}),
      never({.batch = 2, .leaps_from = 1, .recombine_from = 0});
  Strategy fixed(kRecombining, {0.5}, false);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    few.advance(seed);
    never.advance(seed);
    fixed.advance(seed);
    EXPECT_LE(fixed.plan().size(), 2U);
  }
  EXPECT_EQ(few.xi(), never.xi());
  EXPECT_EQ(few.saved(), never.saved());
}

}  // namespace
}  // namespace retropg::test
