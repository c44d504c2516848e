#include "retropg/training/recent_returns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

const double kTwoLater = std::exp(-2.0 / 20.0), kBatchLater = std::exp(-1.0 / 20.0);

TEST(RecentReturns, SpreadAroundTheMeanOfTheirOwnBatch) {
  RecentReturns recent;
  EXPECT_EQ(recent.spread().freedom, 0.0);
  recent.add(std::vector{1.0, 2.0, 6.0}, {});
  EXPECT_DOUBLE_EQ(recent.spread().variance, 14.0 / 2.0);
  EXPECT_DOUBLE_EQ(recent.spread().freedom, 2.0);
  recent.add(std::vector{100.0, 102.0}, {});
  EXPECT_DOUBLE_EQ(recent.spread().variance, (14.0 * kTwoLater + 2.0) / (2.0 * kTwoLater + 1.0));
  EXPECT_DOUBLE_EQ(recent.spread().freedom, std::pow(2.0 * kTwoLater + 1.0, 2.0) / (2.0 * kTwoLater * kTwoLater + 1.0));
}

TEST(RecentReturns, ForgetOldBatches) {
  RecentReturns recent;
  for (int k = 0; k < 50; ++k) recent.add(std::vector{0.0, 100.0}, {});
  for (int k = 0; k < 100; ++k) recent.add(std::vector{0.0, 2.0}, {});
  EXPECT_NEAR(recent.spread().variance, 2.0, 1.0);
  EXPECT_LT(recent.spread().freedom, 25.0) << "there are 150, but they count less and less";
}

TEST(RecentReturns, OfSingleTrajectoriesSayNothingOfTheirSpread) {
  RecentReturns recent;
  recent.add(std::vector{1.0, 3.0}, {});
  for (int k = 0; k < 30; ++k) recent.add(std::vector{7.0}, {});
  EXPECT_DOUBLE_EQ(recent.spread().variance, 2.0) << "of the only batch that says something";
  for (int k = 0; k < 30; ++k) recent.add(std::vector{7.0}, {});
  EXPECT_EQ(recent.spread().freedom, 0.0) << "that was too long ago";
}

TEST(RecentReturns, SayByHowMuchPredictionsWereOff) {
  RecentReturns recent;
  recent.add(std::vector{10.0, 12.0}, {});
  EXPECT_EQ(recent.excess(), 0.0) << "nothing was predicted";
  recent.add(std::vector{15.0, 17.0}, 20.0);
  EXPECT_DOUBLE_EQ(recent.excess(), 4.0);
  recent.add(std::vector{19.0}, {});
  EXPECT_DOUBLE_EQ(recent.excess(), (2.0 * 4.0 * kBatchLater - 3.0) / (2.0 * kBatchLater + 1.0))
      << "without a prediction, the batch before is one";
}

TEST(RecentReturns, LeaveOutWhatCannotBeSquared) {
  RecentReturns recent;
  recent.add(std::vector{1.0, 3.0}, {});
  recent.add(std::vector{1e200, -1e200}, {});
  recent.add({}, {});
  EXPECT_EQ(recent.spread().variance, 2.0);
  EXPECT_EQ(recent.excess(), 0.0);
}

TEST(RecentReturns, AreSavedAndRestored) {
  RecentReturns recent, other;
  recent.add(std::vector{1.0, 3.0, 8.0}, {});
  recent.add(std::vector{2.0, 5.0}, 3.0);
  Archive saved(Archive::Mode::kSave);
  recent.state(saved);
  Archive archive(saved.state());
  other.state(archive);
  for (RecentReturns* each : {&recent, &other}) each->add(std::vector{7.0, 8.0}, {});
  EXPECT_EQ(other.spread().variance, recent.spread().variance);
  EXPECT_EQ(other.spread().freedom, recent.spread().freedom);
  EXPECT_EQ(other.excess(), recent.excess());
  for (const char* name : {"recent_squares", "recent_freedom", "recent_predictions"}) {
    SavedState damaged = saved.state();
    damaged.numbers.at(name) = {-1.0};
    Archive refused(damaged);
    expect_throw([&] { other.state(refused); }, "impossible returns of recent batches");
  }
  SavedState endless = saved.state();
  endless.numbers.at("recent_freedom_squares") = {0.0};
  Archive refused(endless);
  expect_throw([&] { other.state(refused); }, "impossible returns of recent batches");
}

}  // namespace
}  // namespace retropg::test
