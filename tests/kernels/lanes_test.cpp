#include "retropg/kernels/lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/bits.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLanes = 28, kSteps = 5;

/// One lane after its steps, as a plain loop.
struct Lane {
  double age, discount, value;
};

/// Ages, discounts, values, rewards and who is live: lane l lives through its first l % (kSteps + 1) steps.
struct Block {
  std::vector<double> age = std::vector<double>(kLanes), discount = uniform_numbers(kLanes, 0.1, 1.0, 1);
  std::vector<double> value = uniform_numbers(kLanes, -3.0, 3.0, 2);
  std::vector<double> rewards = uniform_numbers(kSteps * kLanes, -2.0, 2.0, 3), live = rewards;
  std::vector<double> actions = uniform_numbers(kSteps * 2 * kLanes, -2.0, 2.0, 4);  // two rows per step
  std::vector<double> squares = uniform_numbers(kLanes, 0.0, 3.0, 5);

  Block() {
    for (std::size_t l = 0; l < kLanes; ++l) {
      age[l] = static_cast<double>(7 * l);
      for (std::size_t t = 0; t < kSteps; ++t) live[t * kLanes + l] = t < l % (kSteps + 1) ? 1.0 : 0.0;
    }
  }
  void advance(std::size_t count, std::size_t steps, double gamma) { advance(count, 0, steps, gamma); }
  void advance(std::size_t count, std::size_t first, std::size_t steps, double gamma) {
    kernels::advance_clocks(
        count, kLanes, steps, 2, gamma, live.data() + first * kLanes, actions.data() + first * 2 * kLanes,
        rewards.data() + first * kLanes,
        {.age = age.data(), .discount = discount.data(), .value = value.data(), .squares = squares.data()});
  }
};

TEST(AdvanceClocks, DiscountsRewardsAndAdvancesLiveLanes) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const Block before;
    Block after;
    after.advance(kLanes, kSteps, 0.9);
    for (std::size_t l = 0; l < kLanes; ++l) {
      Lane lane{.age = before.age[l], .discount = before.discount[l], .value = before.value[l]};
      bool ends = false;
      for (std::size_t t = 0; t < kSteps; ++t) {
        const std::size_t at = t * kLanes + l;
        ends = ends || before.live[at] == 0.0;
        const double reward = ends ? 0.0 : lane.discount * before.rewards[at];
        EXPECT_EQ(after.rewards[at], reward) << target;
        if (ends) continue;
        lane = {.age = lane.age + 1.0, .discount = lane.discount * 0.9, .value = lane.value + reward};
      }
      EXPECT_EQ(after.age[l], lane.age) << target;
      EXPECT_EQ(after.value[l], lane.value) << target;
      if (ends) continue;  // an ended lane needs no discount
      EXPECT_EQ(after.discount[l], lane.discount) << target;
    }
    EXPECT_EQ(after.live, before.live);
  }
}

TEST(AdvanceClocks, ManySmallStepsEqualOneLargeOne) {
  Block whole, parts;
  whole.advance(kLanes, kSteps, 0.95);
  for (std::size_t t = 0; t < kSteps; ++t) {
    parts.advance(kLanes, t, 1, 0.95);
  }
  EXPECT_EQ(bits(parts.rewards), bits(whole.rewards));
  EXPECT_EQ(bits(parts.value), bits(whole.value));
  EXPECT_EQ(bits(parts.age), bits(whole.age));
  EXPECT_EQ(bits(parts.discount), bits(whole.discount));
  EXPECT_EQ(bits(parts.squares), bits(whole.squares));
}

TEST(AdvanceClocks, SquaresTheRewardsAndActionsOfLiveLanes) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    Block block;
    for (std::size_t at = 0; at < kSteps * kLanes; ++at) {
      if (block.live[at] > 0.0) continue;
      const std::size_t step = at / kLanes, lane = at % kLanes;
      block.rewards[at] = block.actions[2 * step * kLanes + lane] = block.actions[(2 * step + 1) * kLanes + lane] =
          kNan;
    }
    const Block before = block;
    block.advance(kLanes, kSteps, 0.5);
    for (std::size_t l = 0; l < kLanes; ++l) {
      double expected = before.squares[l];
      for (std::size_t t = 0; t < kSteps && before.live[t * kLanes + l] > 0.0; ++t) {
        for (const double x : {before.rewards[t * kLanes + l], before.actions[2 * t * kLanes + l],
                               before.actions[(2 * t + 1) * kLanes + l]}) {
          expected += x * x;
        }
      }
      EXPECT_NEAR(block.squares[l], expected, 1e-13) << target;
    }
  }
}

TEST(AddSquares, AddsTheSquaresOfLiveLanes) {
  constexpr std::size_t kWidth = 3, kStride = 4 * kLanes;
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const Block block;
    std::vector<double> rows = uniform_numbers(kSteps * kStride, -2.0, 2.0, 6), squares = block.squares;
    for (std::size_t t = 0; t < kSteps; ++t) {
      for (std::size_t l = 0; l < kLanes; ++l) {
        rows[t * kStride + kWidth * kLanes + l] = kNan;  // between the steps
        if (block.live[t * kLanes + l] == 0.0) rows[t * kStride + kLanes + l] = kNan;
      }
    }
    kernels::add_squares(kLanes - 4, kLanes, kSteps, kWidth, kStride, block.live.data(), rows.data(), squares.data());
    for (std::size_t l = 0; l < kLanes; ++l) {
      double expected = block.squares[l];
      for (std::size_t t = 0; t < kSteps && block.live[t * kLanes + l] > 0.0 && l < kLanes - 4; ++t) {
        for (std::size_t r = 0; r < kWidth; ++r) {
          const double x = rows[t * kStride + r * kLanes + l];
          expected += x * x;
        }
      }
      EXPECT_NEAR(squares[l], expected, 1e-13) << target;
    }
  }
}

TEST(AdvanceClocks, RewardsOfEndedLanesDoNotMatter) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    Block clean, dirty;
    for (std::size_t i = 0; i < dirty.rewards.size(); ++i) {
      if (dirty.live[i] == 0.0) dirty.rewards[i] = kNan;
    }
    clean.advance(kLanes, kSteps, 0.9);
    dirty.advance(kLanes, kSteps, 0.9);
    EXPECT_EQ(bits(dirty.rewards), bits(clean.rewards)) << target;
    EXPECT_EQ(bits(dirty.value), bits(clean.value)) << target;
  }
}

TEST(AdvanceClocks, LanesAndStepsBeyondTheCountsAreLeftAlone) {
  constexpr std::size_t kCount = 12, kTaken = 3;
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const Block before;
    Block after;
    after.advance(kCount, kTaken, 0.9);
    for (std::size_t l = kCount; l < kLanes; ++l) {
      EXPECT_EQ(after.age[l], before.age[l]);
      EXPECT_EQ(after.discount[l], before.discount[l]);
      EXPECT_EQ(after.value[l], before.value[l]);
    }
    for (std::size_t t = 0; t < kSteps; ++t) {
      for (std::size_t l = t < kTaken ? kCount : 0; l < kLanes; ++l) {
        EXPECT_EQ(after.rewards[t * kLanes + l], before.rewards[t * kLanes + l]);
      }
    }
  }
}

TEST(EndLanes, GoOnlyWhereLiveNotEndedAndYoungEnough) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    std::vector<double> age(16), live(16), ended(16), next(16, kNan);
    for (std::size_t l = 0; l < 16; ++l) {
      live[l] = l % 2 == 0 ? 1.0 : 0.0;
      ended[l] = l / 2 % 2 == 0 ? 0.0 : l < 8 ? 1.0 : 2.0;
      age[l] = l / 4 % 2 == 0 ? 198.0 : 199.0;  // a horizon of 200 leaves a lane of age 199 this one step
    }
    kernels::end_lanes(16, 199.0, age.data(), live.data(), ended.data(), next.data());
    for (std::size_t l = 0; l < 16; ++l) {
      const bool goes_on = l % 2 == 0 && l / 2 % 2 == 0 && l / 4 % 2 == 0;
      EXPECT_EQ(next[l], goes_on ? 1.0 : 0.0) << target << " " << l;
    }
  }
}

TEST(EndLanes, WhatAnEndedLaneHoldsDoesNotBringItBack) {
  const std::vector<double> age(4, kNan), live(4, 0.0), ended(4, kNan);
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    std::vector<double> next(4, kNan);
    kernels::end_lanes(4, 10.0, age.data(), live.data(), ended.data(), next.data());
    EXPECT_EQ(next, live) << target;
  }
}

TEST(EndLanes, LanesBeyondTheCountAreLeftAlone) {
  const std::vector<double> age(16, 0.0), live(16, 1.0), ended(16, 0.0);
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    std::vector<double> next(16, 7.0);
    kernels::end_lanes(12, 10.0, age.data(), live.data(), ended.data(), next.data());
    for (std::size_t l = 0; l < 16; ++l) EXPECT_EQ(next[l], l < 12 ? 1.0 : 7.0) << target;
  }
}

}  // namespace
}  // namespace retropg::test
