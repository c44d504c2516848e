#include "retropg/reuse/rank_utilities.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace retropg::test {
namespace {

Ranking ranked(const std::vector<double>& c, const std::vector<double>& values) {
  Ranking result;
  rank(c, values, result);
  return result;
}

TEST(RankUtilities, FollowFromRanksFromAbove) {
  // p = 1/8, 3/8, 5/8, 7/8: v = ln 4, ln(4/3), 0, 0.
  const Ranking four = ranked({1.0, 1.0, 1.0, 1.0}, {3.0, 10.0, -5.0, 7.0});
  const double best = std::log(4.0), second = std::log(4.0 / 3.0), sum = best + second;
  const std::vector<double> expected = {-0.25, best / sum - 0.25, -0.25, second / sum - 0.25};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(four.factor[i], expected[i], 1e-15);
  EXPECT_NEAR(four.selected, sum * sum / (best * best + second * second), 1e-14);
  EXPECT_NEAR(four.effective, 4.0, 1e-14);
}

TEST(RankUtilities, DependOnTheOrderOfValuesAndOnRatiosOfWeightsOnly) {
  const Ranking plain = ranked({0.1, 0.5, 0.25, 0.15}, {1.0, 2.0, 3.0, 4.0});
  const Ranking stretched = ranked({0.2, 1.0, 0.5, 0.3}, {-7.0, 0.0, 1e3, 1e9});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(plain.factor[i], stretched.factor[i], 1e-15);
  EXPECT_NEAR(plain.selected, stretched.selected, 1e-13);
  EXPECT_NEAR(std::accumulate(plain.factor.begin(), plain.factor.end(), 0.0), 0.0, 1e-15);
}

TEST(RankUtilities, ATieSharesItsRank) {
  // p = 1/3 for the two, 5/6 for the last.
  const Ranking ranking = ranked({1.0, 1.0, 1.0}, {5.0, 5.0, 0.0});
  EXPECT_NEAR(ranking.factor[0], 0.5 - 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(ranking.factor[1], ranking.factor[0], 1e-15);
  EXPECT_NEAR(ranking.factor[2], -1.0 / 3.0, 1e-15);
  EXPECT_NEAR(ranking.selected, 2.0, 1e-14);
}

TEST(RankUtilities, ADrawOfWeightTwoCountsAsTwoEqualDraws) {
  const Ranking heavy = ranked({2.0, 1.0, 1.0}, {5.0, 7.0, 0.0}),
                split = ranked({1.0, 1.0, 1.0, 1.0}, {5.0, 5.0, 7.0, 0.0});
  EXPECT_NEAR(heavy.factor[0], split.factor[0] + split.factor[1], 1e-15);
  EXPECT_NEAR(heavy.factor[1], split.factor[2], 1e-15);
  EXPECT_NEAR(heavy.factor[2], split.factor[3], 1e-15);
}

TEST(RankUtilities, AWeightTooSmallForANumberIsNone) {
  const Ranking ranking = ranked({1e-200, 1e200, 1e200}, {9.0, 5.0, 1.0}), without = ranked({1e200, 1e200}, {5.0, 1.0});
  EXPECT_EQ(ranking.factor, (std::vector<double>{0.0, without.factor[0], without.factor[1]}));
  EXPECT_EQ(ranking.selected, without.selected);
}

TEST(RankUtilities, NothingIsSelectedWhereNothingIsBetter) {
  for (const auto& [c, values] : std::vector<std::pair<std::vector<double>, std::vector<double>>>{
           {{1.0}, {3.0}}, {{1.0, 1.0, 1.0}, {2.0, 2.0, 2.0}}, {{1.0, 0.0, 0.0}, {1.0, 2.0, 3.0}}, {{0.0}, {1.0}}}) {
    const Ranking ranking = ranked(c, values);
    EXPECT_EQ(ranking.selected, 0.0);
    for (const double factor : ranking.factor) EXPECT_EQ(factor, 0.0);
  }
}

TEST(RankUtilities, PaddingHasNoRank) {
  const Ranking padded = ranked({1.0, 1.0, 0.0, 0.0}, {1.0, 2.0, 99.0, 0.0}), bare = ranked({1.0, 1.0}, {1.0, 2.0});
  EXPECT_EQ(padded.factor[0], bare.factor[0]);
  EXPECT_EQ(padded.factor[1], bare.factor[1]);
  EXPECT_EQ(padded.factor[2], 0.0);
}

}  // namespace
}  // namespace retropg::test
