#include "retropg/kernels/cart_pole.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "support/bits.hpp"
#include "support/lane_rows.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestPosition = 2.4, kLargestAngle = 0.20943951023931953;  // 12 degrees

using State = std::array<double, 4>;  // x, v, phi, w

/// The step as the specification writes it, one trajectory, in long double. The scale of an error is also returned: a
/// new component is the old one plus 0.02 times a derivative whose terms may cancel.
struct Reference {
  std::array<long double, 4> state;
  std::array<double, 4> scale;
};

Reference reference_step(const State& old, double action) {
  const long double v = old[1], phi = old[2], w = old[3];
  const long double f = std::clamp(static_cast<long double>(action), -10.0L, 10.0L);
  const long double sine = std::sin(phi), cosine = std::cos(phi);
  const long double tmp = (f + 0.05L * w * w * sine) / 1.1L;
  const long double inertia = 0.5L * (4.0L / 3.0L - 0.1L * cosine * cosine / 1.1L);
  const long double wdot = (9.8L * sine - cosine * tmp) / inertia;
  const long double vdot = tmp - 0.05L * wdot * cosine / 1.1L;
  const long double w_terms = (9.8L * std::abs(sine) + std::abs(f / 1.1L) + std::abs(0.05L * w * w * sine)) / inertia;
  const long double terms[4] = {std::abs(v), 2.0L * w_terms, std::abs(w), w_terms};
  Reference result{.state = {old[0] + 0.02L * v, v + 0.02L * vdot, phi + 0.02L * w, w + 0.02L * wdot}, .scale{}};
  for (std::size_t i = 0; i < 4; ++i) result.scale[i] = static_cast<double>(std::abs(old[i]) + 0.02L * terms[i]);
  return result;
}

/// A block of lanes and what one step of it gave.
struct Lanes {
  std::vector<double> state, observations, rewards, terminated;
};

Lanes step(std::size_t count, std::size_t lanes, std::vector<double> state, const std::vector<double>& forces,
           const std::vector<double>& live) {
  Lanes result{.state = std::move(state),
               .observations = std::vector<double>(4 * lanes, kNan),
               .rewards = std::vector<double>(lanes, kNan),
               .terminated = std::vector<double>(lanes, kNan)};
  kernels::cart_pole_step(count, lanes, forces.data(), live.data(), result.state.data(), result.observations.data(),
                          result.rewards.data(), result.terminated.data());
  return result;
}

/// Rows of random states within the thresholds.
std::vector<double> random_states(std::size_t lanes) {
  std::vector<double> rows;
  const double range[4] = {kLargestPosition, 4.0, kLargestAngle, 4.0};
  for (std::uint32_t row = 0; row < 4; ++row) {
    const std::vector<double> numbers = uniform_numbers(lanes, -range[row], range[row], row);
    rows.insert(rows.end(), numbers.begin(), numbers.end());
  }
  return rows;
}

/// One step of one state, in every lane of a vector.
struct Outcome {
  State state;
  double reward, terminated;
};

Outcome step_one(const State& old, double force, double live = 1.0) {
  std::vector<double> rows;
  for (const double value : old) rows.insert(rows.end(), 4, value);
  const Lanes lanes = step(4, 4, rows, std::vector(4, force), std::vector(4, live));
  for (std::size_t lane = 1; lane < 4; ++lane) {
    EXPECT_EQ(bits(std::span(lanes.state).subspan(lane, 1)), bits(std::span(lanes.state).first(1)));
    EXPECT_EQ(lanes.terminated[lane], lanes.terminated[0]);
  }
  return {.state = {lanes.state[0], lanes.state[4], lanes.state[8], lanes.state[12]},
          .reward = lanes.rewards[0],
          .terminated = lanes.terminated[0]};
}

TEST(CartPoleKernel, StepsAsTheSpecificationSays) {
  constexpr std::size_t kLanes = 20000;
  const std::vector<double> states = random_states(kLanes), live(kLanes, 1.0);
  const std::vector<double> forces = uniform_numbers(kLanes, -15.0, 15.0, 9);  // a third beyond the clip
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const Lanes lanes = step(kLanes, kLanes, states, forces, live);
    std::array<double, 4> worst{};
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Reference expected =
          reference_step({states[l], states[kLanes + l], states[2 * kLanes + l], states[3 * kLanes + l]}, forces[l]);
      for (std::size_t i = 0; i < 4; ++i) {
        const auto error = std::abs(static_cast<double>(lanes.state[i * kLanes + l] - expected.state[i]));
        worst[i] = std::max(worst[i], error / expected.scale[i]);
      }
      const bool fell =
          std::abs(lanes.state[l]) > kLargestPosition || std::abs(lanes.state[2 * kLanes + l]) > kLargestAngle;
      ASSERT_EQ(lanes.terminated[l], fell ? 1.0 : 0.0);
    }
    // Position and angle: one product and one sum, half a unit (1.1e-16) each. Speeds: some ten roundings in the
    // derivative, of which 0.02 comes through.
    EXPECT_LT(worst[0], 3e-16) << target;
    EXPECT_LT(worst[1], 5e-16) << target;
    EXPECT_LT(worst[2], 3e-16) << target;
    EXPECT_LT(worst[3], 5e-16) << target;
    EXPECT_EQ(bits(lanes.observations), bits(lanes.state));
    EXPECT_EQ(lanes.rewards, live);
  }
}

TEST(CartPoleKernel, TracksTheSpecificationOverATrajectory) {
  // Both balance their own pole, so errors are damped and the difference stays near what one step makes.
  const auto force = [](const State& s) { return s[0] + 2.0 * s[1] + 30.0 * s[2] + 4.0 * s[3]; };
  State state{0.01, -0.02, 0.03, 0.04}, expected = state;
  for (int t = 0; t < 200; ++t) {
    state = step_one(state, force(state)).state;
    const Reference reference = reference_step(expected, force(expected));
    for (std::size_t i = 0; i < 4; ++i) {
      expected[i] = static_cast<double>(reference.state[i]);
      ASSERT_NEAR(state[i], expected[i], 1e-14) << t;
    }
    ASSERT_LT(std::abs(state[2]), kLargestAngle) << t;  // or this test follows a fallen pole
  }
}

TEST(CartPoleKernel, ClipsTheForce) {
  const State state{0.1, 0.2, 0.05, -0.3};
  for (const double sign : {-1.0, 1.0}) {
    const State at_limit = step_one(state, sign * 10.0).state;
    for (const double beyond : {10.000001, 11.0, 1e300, kInfinity})
      EXPECT_EQ(step_one(state, sign * beyond).state, at_limit);
    EXPECT_NE(step_one(state, sign * 9.999999).state, at_limit);
  }
  EXPECT_GT(step_one(state, 10.0).state[1], step_one(state, -10.0).state[1]);
}

TEST(CartPoleKernel, TerminatesJustOutsideTheThresholds) {
  // Without speed position and angle stay what they are, so the new state is on the threshold exactly.
  for (const double sign : {-1.0, 1.0}) {
    for (const auto& [place, threshold] :
         {std::pair{std::size_t{0}, kLargestPosition}, {std::size_t{2}, kLargestAngle}}) {
      const auto terminated = [&, at = place](double value) {
        State state{};
        state[at] = sign * value;
        const Outcome outcome = step_one(state, 0.0);
        EXPECT_EQ(outcome.state[at], sign * value);
        EXPECT_EQ(outcome.reward, 1.0);  // the terminating step counts
        return outcome.terminated;
      };
      EXPECT_EQ(terminated(std::nextafter(threshold, 0.0)), 0.0);
      EXPECT_EQ(terminated(threshold), 0.0);
      EXPECT_EQ(terminated(std::nextafter(threshold, kInfinity)), 1.0);
    }
  }
}

TEST(CartPoleKernel, TestsTheNewStateNotTheOld) {
  EXPECT_EQ(step_one({2.39, 1.0, 0.0, 0.0}, 0.0).terminated, 1.0);
  EXPECT_EQ(step_one({2.41, -1.0, 0.0, 0.0}, 0.0).terminated, 0.0);
  EXPECT_EQ(step_one({0.0, 0.0, -0.2, -1.0}, 0.0).terminated, 1.0);
  EXPECT_EQ(step_one({0.0, 0.0, -0.21, 1.0}, 0.0).terminated, 0.0);
}

TEST(CartPoleKernel, SpeedsAloneDoNotTerminate) {
  EXPECT_EQ(step_one({0.0, 100.0, 0.0, 10.0}, 0.0).terminated, 0.0);
}

TEST(CartPoleKernel, EndedLanesAreZeroAndDoNotMatter) {
  constexpr std::size_t kLanes = 24;
  const std::vector<double> states = random_states(kLanes), forces = uniform_numbers(kLanes, -12.0, 12.0, 5);
  std::vector<double> live(kLanes), dirty_states = states, dirty_forces = forces;
  for (std::size_t l = 0; l < kLanes; ++l) {
    live[l] = l % 3 == 1 ? 0.0 : 1.0;
    if (live[l] > 0.0) continue;
    for (std::size_t row = 0; row < 4; ++row) dirty_states[row * kLanes + l] = row % 2 == 0 ? kNan : kInfinity;
    dirty_forces[l] = kNan;
  }
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const Lanes clean = step(kLanes, kLanes, states, forces, std::vector<double>(kLanes, 1.0));
    const Lanes dirty = step(kLanes, kLanes, dirty_states, dirty_forces, live);
    for (std::size_t l = 0; l < kLanes; ++l) {
      const bool is_live = live[l] > 0.0;
      EXPECT_EQ(dirty.rewards[l], is_live ? 1.0 : 0.0);
      EXPECT_EQ(dirty.terminated[l], is_live ? clean.terminated[l] : 0.0);
      for (std::size_t row = 0; row < 4; ++row) {
        const std::size_t at = row * kLanes + l;
        EXPECT_EQ(dirty.state[at], is_live ? clean.state[at] : 0.0);
        EXPECT_EQ(dirty.observations[at], dirty.state[at]);
      }
    }
  }
}

TEST(CartPoleKernel, LanesBeyondTheCountAreLeftAlone) {
  constexpr std::size_t kLanes = 16, kCount = 12;
  const std::vector<double> states = random_states(kLanes);
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const Lanes lanes = step(kCount, kLanes, states, std::vector(kLanes, 1.0), std::vector(kLanes, 1.0));
    for (std::size_t l = 0; l < kLanes; ++l) {
      EXPECT_EQ(std::isnan(lanes.rewards[l]), l >= kCount) << target;
      EXPECT_EQ(std::isnan(lanes.terminated[l]), l >= kCount) << target;
      for (std::size_t row = 0; row < 4; ++row) {
        EXPECT_EQ(std::isnan(lanes.observations[row * kLanes + l]), l >= kCount) << target;
        EXPECT_EQ(lanes.state[row * kLanes + l] == states[row * kLanes + l], l >= kCount) << target;
      }
    }
  }
}

TEST(CartPoleKernel, DoesNotDependOnTheTargetWhereItFusesNorOnThePosition) {
  constexpr std::size_t kLanes = 200;
  const std::vector<double> states = random_states(kLanes), forces = uniform_numbers(kLanes, -12.0, 12.0, 6);
  std::vector<Lanes> of_targets;
  for (const std::string& target : fused_targets()) {
    const ForcedTarget forced(target);
    of_targets.push_back(step(kLanes, kLanes, states, forces, std::vector<double>(kLanes, 1.0)));
    const Lanes& all = of_targets.back();
    EXPECT_EQ(bits(all.state), bits(of_targets.front().state)) << target;
    for (std::size_t l = 0; l < kLanes; ++l) {  // each lane again, in a block where it stands alone
      const Outcome alone =
          step_one({states[l], states[kLanes + l], states[2 * kLanes + l], states[3 * kLanes + l]}, forces[l]);
      const State together{all.state[l], all.state[kLanes + l], all.state[2 * kLanes + l], all.state[3 * kLanes + l]};
      ASSERT_EQ(bits(alone.state), bits(together)) << target << " " << l;
    }
  }
  if (of_targets.size() < 2) GTEST_SKIP() << "this CPU has fewer than two targets with fused multiply-add";
}

TEST(CartPole, IsDefinedAsInThePaper) {
  expect_definition(cart_pole(), "CartPoleContinuous-v0", 4, 1, 200);
}

TEST(CartPole, StartsUniformlyNearTheOrigin) {
  constexpr std::size_t kLanes = 400;
  const std::unique_ptr<Environment> environment = cart_pole().make(kLanes);
  std::vector<double> observations(4 * kLanes, kNan);
  for (std::size_t l = 0; l < kLanes; ++l) {
    const StreamName name{.seed = 6, .purpose = Purpose::kReset, .trajectory = static_cast<std::uint32_t>(l)};
    RandomStream random(name), expected(name);
    environment->reset(static_cast<Index>(l), random, observations);
    for (std::size_t row = 0; row < 4; ++row)
      EXPECT_NEAR(observations[row * kLanes + l], 0.1 * expected.uniform() - 0.05, 1e-16);
  }
  // Among 400 uniforms the extremes miss an end by more than 5 % with probability 2 * 0.95^400 = 2e-9.
  for (std::size_t row = 0; row < 4; ++row) {
    const auto [low, high] = std::ranges::minmax(std::span(observations).subspan(row * kLanes, kLanes));
    EXPECT_GE(low, -0.05);
    EXPECT_LE(high, 0.05);
    EXPECT_LT(low, -0.045);
    EXPECT_GT(high, 0.045);
  }
}

TEST(CartPole, StepsFromTheStateItObserved) {
  constexpr std::size_t kLanes = 8;
  LaneRows rows(cart_pole(), kLanes);
  const std::unique_ptr<Environment> environment = cart_pole().make(kLanes);
  for (Index l = 0; l < rows.lanes; ++l) {
    RandomStream random({.seed = 6, .trajectory = static_cast<std::uint32_t>(l)});
    environment->reset(l, random, rows.observations);
  }
  rows.live.assign(kLanes, 1.0);
  rows.actions = uniform_numbers(kLanes, -12.0, 12.0, 7);
  const Lanes expected = step(kLanes, kLanes, rows.observations, rows.actions, rows.live);
  rows.step(*environment);
  EXPECT_EQ(bits(rows.observations), bits(expected.state));
  EXPECT_EQ(rows.rewards, rows.live);
  EXPECT_EQ(rows.ended, std::vector(kLanes, 0.0));
}

}  // namespace
}  // namespace retropg::test
