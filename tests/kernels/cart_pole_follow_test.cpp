#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "retropg/kernels/cart_pole.hpp"
#include "retropg/kernels/lanes.hpp"
#include "retropg/kernels/linear.hpp"
#include "support/bits.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLanes = 36, kSteps = 8;

/// A block of lanes near falling, some of them not live and some near the horizon.
struct Segment {
  std::vector<double> theta{0.3, 0.5, 6.0, 1.0}, deviation{0.5};
  std::vector<double> noise = uniform_numbers(kSteps * kLanes, -3.0, 3.0, 1);
  std::vector<double> state, age, columns, actions, rewards, live;
  std::vector<const double*> noise_rows;
  double last_age = 199.0;

  Segment()
      : columns((kSteps + 1) * 5 * kLanes, kNan),
        actions(kSteps * kLanes, kNan),
        rewards(kSteps * kLanes, kNan),
        live((kSteps + 1) * kLanes, kNan) {
    const double range[4] = {2.4, 2.0, 0.2, 2.0};
    for (std::uint32_t row = 0; row < 4; ++row) {
      const std::vector<double> numbers = uniform_numbers(kLanes, -range[row], range[row], 2 + row);
      state.insert(state.end(), numbers.begin(), numbers.end());
    }
    std::ranges::copy(state, columns.begin());
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      age.push_back(lane % 5 == 0 ? 190.0 + static_cast<double>(lane % 9) : 16.0);
      live[lane] = lane % 7 == 3 ? 0.0 : 1.0;
    }
    for (std::size_t t = 0; t < kSteps; ++t) noise_rows.push_back(noise.data() + t * kLanes);
  }

  void follow(std::size_t count) {
    kernels::cart_pole_follow({.count = count,
                               .lanes = kLanes,
                               .steps = kSteps,
                               .theta = theta.data(),
                               .deviation = deviation.data(),
                               .noise = noise_rows.data(),
                               .age = age.data(),
                               .last_age = last_age,
                               .columns = columns.data(),
                               .actions = actions.data(),
                               .rewards = rewards.data(),
                               .live = live.data()},
                              state.data());
  }

  /// The same with one kernel for acting, one for the physics and one for the end of trajectories.
  void act_and_step(std::size_t count) {
    std::vector<double> terminated(kLanes);
    for (std::size_t t = 0; t < kSteps; ++t) {
      double *column = columns.data() + 5 * t * kLanes, *action = actions.data() + t * kLanes;
      double* now = live.data() + t * kLanes;
      kernels::linear_gaussian_act(count, kLanes, 4, 1, theta.data(), deviation.data(), column, noise_rows.data() + t,
                                   action, column + 4 * kLanes);
      kernels::cart_pole_step(count, kLanes, action, now, state.data(), column + 5 * kLanes,
                              rewards.data() + t * kLanes, terminated.data());
      kernels::end_lanes(count, last_age - static_cast<double>(t), age.data(), now, terminated.data(), now + kLanes);
    }
  }
};

TEST(CartPoleFollow, GivesTheBitsOfActingAndSteppingAndLeavesOtherLanesAlone) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (std::size_t count = 4; count <= kLanes; count += 4) {
      Segment at_once, in_turn;
      at_once.follow(count);
      in_turn.act_and_step(count);
      EXPECT_EQ(bits(at_once.state), bits(in_turn.state)) << target << " " << count;
      EXPECT_EQ(bits(at_once.columns), bits(in_turn.columns)) << target << " " << count;
      EXPECT_EQ(bits(at_once.actions), bits(in_turn.actions)) << target << " " << count;
      EXPECT_EQ(bits(at_once.rewards), bits(in_turn.rewards)) << target << " " << count;
      EXPECT_EQ(bits(at_once.live), bits(in_turn.live)) << target << " " << count;
    }
  }
}

TEST(CartPoleFollow, SomeLanesEndAndSomeGoOn) {
  Segment segment;
  segment.follow(kLanes);
  const auto live_after = [&](std::size_t steps) {
    return std::count(segment.live.begin() + static_cast<std::ptrdiff_t>(steps * kLanes),
                      segment.live.begin() + static_cast<std::ptrdiff_t>((steps + 1) * kLanes), 1.0);
  };
  EXPECT_LT(live_after(kSteps), live_after(1));
  EXPECT_GT(live_after(kSteps), 0);
}

}  // namespace
}  // namespace retropg::test
