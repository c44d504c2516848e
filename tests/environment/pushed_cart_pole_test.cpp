// CartPole-v1 against Gymnasium's step, written here anew.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "retropg/environment/environment.hpp"
#include "support/lane_rows.hpp"

namespace retropg::test {
namespace {

using State = std::array<double, 4>;

/// gymnasium/envs/classic_control/cartpole.py: `step` with the integrator "euler".
struct Gymnasium {
  State state;
  bool terminated = false;

  void step(int action) {
    const double gravity = 9.8, masscart = 1.0, masspole = 0.1, total_mass = masspole + masscart;
    const double length = 0.5, polemass_length = masspole * length, force_mag = 10.0, tau = 0.02;
    auto [x, x_dot, theta, theta_dot] = state;
    const double force = action == 1 ? force_mag : -force_mag;
    const double costheta = std::cos(theta), sintheta = std::sin(theta);
    const double temp = (force + polemass_length * theta_dot * theta_dot * sintheta) / total_mass;
    const double thetaacc =
        (gravity * sintheta - costheta * temp) / (length * (4.0 / 3.0 - masspole * costheta * costheta / total_mass));
    const double xacc = temp - polemass_length * thetaacc * costheta / total_mass;
    x += tau * x_dot;
    x_dot += tau * xacc;
    theta += tau * theta_dot;
    theta_dot += tau * thetaacc;
    state = {x, x_dot, theta, theta_dot};
    const double threshold = 12 * 2 * std::numbers::pi / 360;
    terminated = x < -2.4 || x > 2.4 || theta < -threshold || theta > threshold;
  }
};

TEST(PushedCartPole, IsDefinedAsGymnasiumsIs) {
  const EnvironmentDefinition definition = pushed_cart_pole();
  EXPECT_NO_THROW(check(definition));
  expect_definition(definition, "CartPole-v1", 4, 1, 500);
  EXPECT_EQ(definition.action_count, 2);
  EXPECT_EQ(return_range(definition).largest, 500.0);
}

TEST(PushedCartPole, StartsUniformlyWithinFiveHundredths) {
  const EnvironmentDefinition definition = pushed_cart_pole();
  const auto block = definition.make(kChunk);
  LaneRows rows(definition, kChunk);
  State low{1.0, 1.0, 1.0, 1.0}, high{-1.0, -1.0, -1.0, -1.0};
  for (std::uint32_t j = 0; j < 1000; ++j) {
    RandomStream random({.seed = 1, .purpose = Purpose::kReset, .trajectory = j});
    block->reset(0, random, rows.observations);
    const std::vector<double> start = rows.observed(0);
    for (std::size_t i = 0; i < 4; ++i) {
      low[i] = std::min(low[i], start[i]);
      high[i] = std::max(high[i], start[i]);
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {  // 1000 draws miss an outer hundredth of the range with probability 4e-5
    EXPECT_TRUE(low[i] >= -0.05 && low[i] < -0.049 && high[i] <= 0.05 && high[i] > 0.049) << i;
  }
}

/// Whether the formula goes on from its own states or from those of the environment.
enum class Compared { kTrajectories, kSteps };

/// Plays a whole trajectory in every lane, and the same one with the formula above.
template <class Choose>
Index compare(Compared compared, std::uint32_t seed, const Choose& choose) {
  const EnvironmentDefinition definition = pushed_cart_pole();
  const auto block = definition.make(kChunk);
  LaneRows rows(definition, kChunk);
  std::array<Gymnasium, kChunk> expected;
  RandomStream choices({.seed = seed, .purpose = Purpose::kActionNoise});
  for (Index lane = 0; lane < kChunk; ++lane) {
    const auto l = as_size(lane);
    RandomStream random({.seed = seed, .purpose = Purpose::kReset, .trajectory = static_cast<std::uint32_t>(lane)});
    block->reset(lane, random, rows.observations);
    const std::vector<double> start = rows.observed(lane);
    std::copy(start.begin(), start.end(), expected[l].state.begin());
    rows.live[l] = 1.0;
  }
  Index steps = 0;
  for (Index t = 0; t < definition.horizon; ++t) {
    for (std::size_t l = 0; l < expected.size(); ++l) {
      const int action = choose(expected[l].state, choices);
      rows.actions[l] = action;
      if (rows.live[l] > 0.0) expected[l].step(action);
    }
    rows.step(*block);
    for (std::size_t l = 0; l < expected.size(); ++l) {
      if (rows.live[l] == 0.0) continue;
      ++steps;
      const std::vector<double> observed = rows.observed(as_index(l));
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(observed[i], expected[l].state[i], 1e-12) << "step " << t;
      if (compared == Compared::kSteps) std::copy(observed.begin(), observed.end(), expected[l].state.begin());
      EXPECT_EQ(rows.rewards[l], 1.0);
      EXPECT_EQ(rows.ended[l], expected[l].terminated ? 1.0 : 0.0) << "step " << t;
      if (rows.ended[l] > 0.0) rows.live[l] = 0.0;
    }
  }
  return steps;
}

TEST(PushedCartPole, StepsAsGymnasiumsDoes) {
  Index steps = 0;
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    steps +=
        compare(Compared::kTrajectories, seed, [](const State&, RandomStream& random) { return random.below(2) == 1; });
  }
  EXPECT_GT(steps, 50 * kChunk * 10);
}

TEST(PushedCartPole, StepsAsGymnasiumsDoesWhileThePoleStaysUp) {
  const auto balance = [](const State& s, RandomStream&) { return 0.1 * s[0] + 0.2 * s[1] + s[2] + 0.3 * s[3] > 0.0; };
  // Of two trajectories with the same actions, the difference grows by some 8 % per step.
  EXPECT_EQ(compare(Compared::kSteps, 3, balance), 500 * kChunk);
}

}  // namespace
}  // namespace retropg::test
