#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "retropg/estimator/standstill.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

using Verdict = Standstill::Verdict;

/// Twenty returns around a value, at these deviations: from it minus 9 to it plus 10.
Verdict see_twenty(Standstill& search, double around, double log_deviation) {
  Verdict verdict = Verdict::kMoving;
  for (int i = 0; i < 20; ++i) verdict = search.see(std::vector{around - 9.0 + (i * 7 % 20)}, log_deviation);
  return verdict;
}

const double kJustShrunk = std::log(0.699), kNotYet = std::log(0.701);

TEST(Standstill, IsSeenWhenDeviationsShrinkWithoutGain) {
  Standstill search;
  EXPECT_EQ(see_twenty(search, 100.0, 0.0), Verdict::kMoving);
  EXPECT_EQ(see_twenty(search, 105.0, kNotYet), Verdict::kMoving) << "deviations have hardly shrunk";
  EXPECT_EQ(see_twenty(search, 105.0, kJustShrunk), Verdict::kStuck) << "the best draw of the start was 110";
}

TEST(Standstill, IsNotSeenWhileTypicalDrawsAreAsGoodAsTheBestWere) {
  Standstill search;
  see_twenty(search, 100.0, 0.0);
  EXPECT_EQ(see_twenty(search, 111.0, kJustShrunk), Verdict::kMoving);
  EXPECT_EQ(see_twenty(search, 115.0, 1.9 * kJustShrunk), Verdict::kMoving) << "too early for the next look";
  EXPECT_EQ(see_twenty(search, 119.0, 2.0 * kJustShrunk), Verdict::kStuck) << "now it is compared with the last look";
}

TEST(Standstill, IsNotSeenAtTheLargestReturn) {
  Standstill search;
  see_twenty(search, 190.0, 0.0);
  EXPECT_EQ(search.see(std::vector<double>(20, 200.0), kJustShrunk), Verdict::kMoving) << "200 was the best";
  EXPECT_EQ(search.see(std::vector<double>(20, 200.0), 2.0 * kJustShrunk), Verdict::kMoving);
}

TEST(Standstill, OnAPlateauIsSeenAfterTwentyEqualReturnsFromTheStart) {
  Standstill search;
  EXPECT_EQ(search.see(std::vector<double>(19, -200.0), 0.0), Verdict::kMoving);
  EXPECT_EQ(search.see(std::vector<double>(1, -200.0), 0.0), Verdict::kPlateau);
  EXPECT_EQ(search.see(std::vector<double>(2, -200.0), 0.1), Verdict::kPlateau);
  EXPECT_EQ(search.see(std::vector{-150.0}, 0.2), Verdict::kMoving) << "there is something to follow";
  EXPECT_EQ(search.see(std::vector<double>(50, -200.0), 0.2), Verdict::kMoving);
  search.start_over();
  EXPECT_EQ(search.see(std::vector<double>(20, -200.0), 0.0), Verdict::kPlateau);
}

TEST(Standstill, GoesOnFromASavedState) {
  Standstill search, other;
  see_twenty(search, 100.0, 0.0);
  for (int i = 0; i < 10; ++i) search.see(std::vector{101.0}, kNotYet);
  Archive saved(Archive::Mode::kSave);
  search.state(saved);
  Archive back(saved.state());
  other.state(back);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(other.see(std::vector{101.0}, kJustShrunk), Verdict::kMoving);
  EXPECT_EQ(other.see(std::vector{101.0}, kJustShrunk), Verdict::kStuck);
}

TEST(Standstill, RefusesAnImpossibleState) {
  Standstill search;
  Archive saved(Archive::Mode::kSave);
  search.state(saved);
  SavedState state = saved.state();
  state.counts["standstill_varied"] = {2};
  Archive back(state);
  expect_throw([&] { search.state(back); }, "the saved state");
}

}  // namespace
}  // namespace retropg::test
