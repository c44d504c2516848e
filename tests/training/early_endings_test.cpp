#include "retropg/training/early_endings.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "retropg/training/advice.hpp"

namespace retropg::test {
namespace {

/// A record of trajectories that pay 1 for each step, give or take; every other one falls early.
IterationRecord fallen(Index k, double per_step, std::optional<bool> known = {}) {
  IterationRecord record{.iteration = k, .return_mean = per_step * 30.0};
  for (const Index length : {Index{10}, Index{50}}) {
    const double noise = static_cast<double>(k % 3);
    std::optional<bool> terminated;
    if (known) terminated = *known && length < 50;
    record.outcomes.push_back(
        {.value = per_step * static_cast<double>(length) - noise, .length = length, .terminated = terminated});
  }
  return record;
}

/// The record at which it is found; 0: never.
Index found(double per_step, std::optional<bool> known = {}) {
  EarlyEndings endings;
  for (Index k = 1; k <= 40; ++k) {
    if (endings.see(fallen(k, per_step, known))) return k;
  }
  return 0;
}

TEST(EarlyEndings, AreSeenWhereEveryStepCosts) {
  EXPECT_EQ(found(-1.0), 5) << "from lengths alone, with five of each";
  EXPECT_EQ(found(-1.0, true), 5);
}

TEST(EarlyEndings, AreNotSeenWhereItPaysToGoOn) {
  EXPECT_EQ(found(1.0), 0) << "positive rewards";
  EXPECT_EQ(found(-1.0, false), 0) << "those that are shorter were cut off";
  EarlyEndings endings;
  IterationRecord one_positive = fallen(1, -1.0);
  one_positive.outcomes.push_back({.value = 0.5, .length = 50});
  EXPECT_FALSE(endings.see(one_positive));
  for (Index k = 1; k <= 40; ++k) EXPECT_FALSE(endings.see(fallen(k, -1.0))) << "not once a return was positive";
}

TEST(EarlyEndings, AreNotSeenWhereAnEndIsCharged) {
  EarlyEndings endings;
  for (Index k = 1; k <= 40; ++k) {
    IterationRecord record = fallen(k, -1.0);
    record.outcomes[0].value -= 100.0;
    EXPECT_FALSE(endings.see(record));
  }
}

TEST(EarlyEndings, AreNotSeenBeforeAnyTrajectoryWentOnLonger) {
  EarlyEndings endings;
  for (Index k = 1; k <= 40; ++k) {
    EXPECT_FALSE(endings.see({.outcomes = {{.value = -static_cast<double>(k), .length = k}}})) << "each is the longest";
  }
  for (Index k = 1; k <= 40; ++k) {
    EXPECT_FALSE(endings.see({.outcomes = {{.value = -500.0, .length = 100 + k}}})) << "which the others were not";
  }
}

TEST(EarlyEndings, AreSpokenOfOnceByAdvice) {
  for (const bool reads_rate : {true, false}) {
    Advice advice(reads_rate);
    std::vector<Index> said;
    for (Index k = 1; k <= 40; ++k) {
      const std::optional<std::string> line = advice.see(fallen(k, -1.0));
      if (!line) continue;
      EXPECT_EQ(*line, EarlyEndings::kWarning);
      said.push_back(k);
    }
    EXPECT_EQ(said, std::vector<Index>{5});
  }
}

}  // namespace
}  // namespace retropg::test
