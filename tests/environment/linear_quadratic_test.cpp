#include "retropg/environment/linear_quadratic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "retropg/core/numerics.hpp"
#include "support/expect_throw.hpp"
#include "support/lane_rows.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  LinearQuadraticOptions options;
  std::vector<double> theta, variance;
  Index horizon;
  double discount;
};

Case spring(double process_noise) {
  return {.options = {.process_noise = process_noise},
          .theta = {-0.7, -0.4},
          .variance = {0.3},
          .horizon = 20,
          .discount = 1.0};
}

/// Three states and two actions, no matrix diagonal and none of A, B, Theta symmetric: a transposition shows.
Case coupled(double process_noise) {
  return {.options = {.dynamics = {0.9, 0.3, 0.0, -0.1, 0.7, 0.2, 0.4, 0.0, 0.5},
                      .input = {0.5, 0.0, -0.2, 0.3, 0.1, 0.6},
                      .state_cost = {1.0, 0.2, 0.0, 0.2, 0.5, -0.1, 0.0, -0.1, 2.0},
                      .action_cost = {0.3, 0.1, 0.1, 0.8},
                      .start_range = {1.0, 0.5, 2.0},
                      .process_noise = process_noise},
          .theta = {-0.3, 0.2, 0.1, 0.4, -0.5, -0.2},
          .variance = {0.2, 0.5},
          .horizon = 15,
          .discount = 0.9};
}

ExactGradient exact(const Case& c, std::span<const double> theta) {
  return linear_quadratic_exact(c.options, theta, c.variance, c.horizon, c.discount);
}

/// A block of lanes under the linear Gaussian policy of a case. Lanes that are not live hold NaN actions.
class Block {
 public:
  Block(const Case& c, Index lanes)
      : theta_(c.theta),
        variance_(c.variance),
        d_s_(c.options.start_range.size()),
        lanes_(as_size(lanes)),
        active_(lanes_),
        environment_(linear_quadratic(c.options).make(lanes)),
        noise_(lanes_, RandomStream(StreamName{})),
        live_(lanes_, 0.0),
        actions_(variance_.size() * lanes_, kNan),
        observations_(d_s_ * lanes_, kNan),
        rewards_(lanes_, kNan),
        ended_(lanes_, kNan) {}

  void reset(Index lane, std::uint32_t trajectory) {
    const auto l = as_size(lane);
    RandomStream random({.seed = 11, .purpose = Purpose::kReset, .trajectory = trajectory});
    noise_[l] = RandomStream({.seed = 11, .purpose = Purpose::kActionNoise, .trajectory = trajectory});
    live_[l] = 1.0;
    environment_->reset(lane, random, observations_);
  }

  void step() {
    for (std::size_t l = 0; l < active_; ++l) {
      for (std::size_t u = 0; u < variance_.size(); ++u) {
        double action = live_[l] > 0.0 ? std::sqrt(variance_[u]) * noise_[l].normal() : kNan;
        for (std::size_t i = 0; i < d_s_; ++i) action += theta_[u * d_s_ + i] * observations_[i * lanes_ + l];
        actions_[u * lanes_ + l] = action;
      }
    }
    environment_->step({.lanes = static_cast<Index>(lanes_),
                        .active = static_cast<Index>(active_),
                        .live = live_,
                        .actions = actions_,
                        .observations = observations_,
                        .rewards = rewards_,
                        .ended = ended_});
  }

  /// Lane `to` goes on with the trajectory of lane `from`, and only the first `active` lanes are left in use.
  void move(Index from, Index to, Index active) {
    const auto source = as_size(from), target = as_size(to);
    environment_->move(from, to);
    for (std::size_t i = 0; i < d_s_; ++i) observations_[i * lanes_ + target] = observations_[i * lanes_ + source];
    noise_[target] = noise_[source];
    live_[target] = std::exchange(live_[source], 0.0);
    active_ = as_size(active);
  }

  double reward(Index lane) const { return rewards_[as_size(lane)]; }
  double ended(Index lane) const { return ended_[as_size(lane)]; }
  double action(Index lane, std::size_t u) const { return actions_[u * lanes_ + as_size(lane)]; }
  double observation(Index lane, std::size_t i) const { return observations_[i * lanes_ + as_size(lane)]; }

  /// Observations and reward of one lane over some steps of the whole block.
  std::vector<double> record(Index lane, Index steps) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < d_s_; ++i) numbers.push_back(observation(lane, i));
    for (Index t = 0; t < steps; ++t) {
      step();
      numbers.push_back(reward(lane));
      for (std::size_t i = 0; i < d_s_; ++i) numbers.push_back(observation(lane, i));
    }
    return numbers;
  }

 private:
  std::vector<double> theta_, variance_;
  std::size_t d_s_, lanes_, active_;
  std::unique_ptr<Environment> environment_;
  std::vector<RandomStream> noise_;
  std::vector<double> live_, actions_, observations_, rewards_, ended_;
};

std::vector<double> simulated_returns(const Case& c, std::uint32_t trajectories) {
  constexpr Index kLanes = 8;
  Block block(c, kLanes);
  std::vector<double> returns(trajectories, 0.0);
  for (std::uint32_t first = 0; first < trajectories; first += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane) block.reset(lane, first + static_cast<std::uint32_t>(lane));
    double weight = 1.0;
    for (Index t = 0; t < c.horizon; ++t, weight *= c.discount) {
      block.step();
      for (Index lane = 0; lane < kLanes; ++lane) {
        returns[first + as_size(lane)] += weight * block.reward(lane);
      }
    }
  }
  return returns;
}

class LinearQuadraticExact : public testing::TestWithParam<Case> {};

TEST_P(LinearQuadraticExact, GradientIsTheDerivativeOfTheValue) {
  const Case& c = GetParam();
  const std::vector<double> gradient = exact(c, c.theta).gradient;

  constexpr double h = 1e-5;
  ASSERT_EQ(gradient.size(), c.theta.size());
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    std::vector<double> above = c.theta, below = c.theta;
    above[j] += h;
    below[j] -= h;
    const double difference = (exact(c, above).value - exact(c, below).value) / (2.0 * h);
    EXPECT_NEAR(gradient[j], difference, 1e-6 * std::abs(difference)) << "entry " << j;
  }
}

TEST_P(LinearQuadraticExact, ValueIsTheMeanOfSimulatedReturns) {
  const Case& c = GetParam();
  const double value = exact(c, c.theta).value;

  const std::vector<double> returns = simulated_returns(c, 20000);

  const double standard_error = standard_deviation(returns) / std::sqrt(static_cast<double>(returns.size()));
  EXPECT_NEAR(mean(returns), value, 4.5 * standard_error);  // sound code fails once in 150,000 seeds a case
  EXPECT_LT(standard_error, 0.006 * std::abs(value));       // and an error of 5 % shows at nearly every seed
}

INSTANTIATE_TEST_SUITE_P(Systems, LinearQuadraticExact,
                         testing::Values(spring(0.0), spring(0.2), coupled(0.0), coupled(0.3)));

TEST(LinearQuadratic, NoiseAndDiscountMoveTheValueFarMoreThanTheMonteCarloTestForgives) {
  Case undiscounted = coupled(0.3);
  undiscounted.discount = 1.0;
  const auto value = [](const Case& c) { return exact(c, c.theta).value; };
  EXPECT_GT(std::abs(value(spring(0.2)) / value(spring(0.0)) - 1.0), 0.1);
  EXPECT_GT(std::abs(value(coupled(0.3)) / value(coupled(0.0)) - 1.0), 0.1);
  EXPECT_GT(std::abs(value(undiscounted) / value(coupled(0.3)) - 1.0), 0.1);
}

TEST(LinearQuadratic, ValueAndGradientOfOneStepAreThoseByHand) {
  // E[s s'] = diag(3^2, 6^2) / 3, a = Theta s + noise: J = -(1 * 3 + 2 * 12 + 0.5 (0.2^2 * 3 + 0.1^2 * 12 + 0.4)).
  const LinearQuadraticOptions options = {
      .state_cost = {1.0, 0.0, 0.0, 2.0}, .action_cost = {0.5}, .start_range = {3.0, 6.0}, .process_noise = 7.0};
  const std::vector<double> theta{0.2, -0.1}, variance{0.4};
  const ExactGradient result = linear_quadratic_exact(options, theta, variance, 1, 1.0);
  EXPECT_NEAR(result.value, -27.32, 1e-12);
  EXPECT_NEAR(result.gradient[0], -0.6, 1e-13);  // -2 R theta_i E[s_i^2]
  EXPECT_NEAR(result.gradient[1], 1.2, 1e-13);
}

TEST(LinearQuadratic, AStepFollowsTheDynamicsAndPaysForTheStateBeforeIt) {
  Block block(spring(0.0), 4);
  block.reset(2, 0);
  const double x = block.observation(2, 0), v = block.observation(2, 1);
  block.step();
  const double a = block.action(2, 0);
  EXPECT_DOUBLE_EQ(block.reward(2), -(x * x + v * v + 0.1 * a * a));
  EXPECT_DOUBLE_EQ(block.observation(2, 0), x + 0.2 * v);
  EXPECT_DOUBLE_EQ(block.observation(2, 1), -0.2 * x + 0.8 * v + 0.2 * a);
  EXPECT_EQ(block.ended(2), 0.0);
}

TEST(LinearQuadratic, ATrajectoryDependsOnItsStreamOnly) {
  for (const Case& c : {spring(0.0), coupled(0.3)}) {
    const auto alone = [&](Index lanes, Index lane, std::uint32_t trajectory) {
      Block block(c, lanes);
      block.reset(lane, trajectory);
      return block.record(lane, 10);
    };
    const std::vector<double> expected = alone(4, 0, 5);
    ASSERT_TRUE(all_finite(expected));

    EXPECT_EQ(alone(4, 3, 5), expected);   // another lane
    EXPECT_EQ(alone(16, 9, 5), expected);  // another width
    EXPECT_NE(alone(4, 0, 6), expected);   // another stream

    Block busy(c, 8);  // busy neighbors, and the lane was used before
    for (Index lane = 0; lane < 8; ++lane) busy.reset(lane, 20 + static_cast<std::uint32_t>(lane));
    for (int t = 0; t < 7; ++t) busy.step();
    busy.reset(6, 5);
    EXPECT_EQ(busy.record(6, 10), expected);
  }
}

TEST(LinearQuadratic, AMovedTrajectoryGoesOnAsIfItHadStayed) {
  const auto rest = [](bool moved) {
    Block block(coupled(0.3), 8);
    for (Index lane = 0; lane < 8; ++lane) block.reset(lane, static_cast<std::uint32_t>(lane));
    for (int t = 0; t < 3; ++t) block.step();  // an odd number of normals, so that a stream stops within a pair
    if (moved) block.move(6, 1, 4);
    return block.record(moved ? 1 : 6, 5);
  };
  EXPECT_EQ(rest(true), rest(false));
}

TEST(LinearQuadratic, ProcessNoiseDiffersBetweenStreams) {
  Case c = spring(0.3);
  c.options.start_range = {0.0, 0.0};  // with the policy silent too, all that is left is the noise
  c.theta = {0.0, 0.0};
  c.variance = {0.0};
  Block block(c, 4);
  for (Index lane = 0; lane < 4; ++lane) block.reset(lane, static_cast<std::uint32_t>(lane));
  block.step();
  EXPECT_NE(block.observation(0, 0), 0.0);
  EXPECT_NE(block.observation(0, 0), block.observation(0, 1));
  EXPECT_NE(block.observation(0, 0), block.observation(1, 0));
}

TEST(LinearQuadratic, LanesThatAreNotLiveEarnNothing) {
  Block block(coupled(0.3), 4);  // only lane 1 is live, the others were never reset and get NaN actions
  block.reset(1, 0);
  block.step();
  EXPECT_LT(block.reward(1), 0.0);
  for (const Index lane : {0, 2, 3}) {
    EXPECT_EQ(block.reward(lane), 0.0);
    EXPECT_EQ(block.ended(lane), 0.0);
    EXPECT_EQ(block.observation(lane, 2), 0.0);
  }
}

TEST(LinearQuadratic, DefinitionSaysTheSizesOfTheMatrices) {
  expect_definition(linear_quadratic(coupled(0.0).options), "LinearQuadratic-v0", 3, 2, 20);
}

TEST(LinearQuadratic, BadOptionsAreRefusedInOneClearLine) {
  const auto make = [](const LinearQuadraticOptions& options) { return [options] { linear_quadratic(options); }; };
  expect_throw(make({.dynamics = {1.0, 2.0, 3.0}}), "lqr.dynamics has 3 entries, expected a square matrix");
  expect_throw(make({.dynamics = {}}), "lqr.dynamics has 0 entries");
  expect_throw(make({.dynamics = {1.0, 0.0, kNan, 1.0}}), "entry 2 of lqr.dynamics is nan, expected a finite number");
  expect_throw(make({.input = {1.0}}), "lqr.input has 1 entries, expected 2");
  expect_throw(make({.state_cost = {1.0, 0.5, 0.2, 1.0}}),
               "lqr.state_cost has 0.2 at (1, 0) and 0.5 at (0, 1), expected a symmetric matrix");
  expect_throw(make({.action_cost = {kNan}}), "entry 0 of lqr.action_cost is nan");
  expect_throw(make({.start_range = {1.0, -1.0}}), "entry 1 of lqr.start_range is -1, expected at least 0");
  expect_throw(make({.process_noise = -1e-9}), "lqr.process_noise is -1e-09, expected a finite number of at least 0");
  expect_throw(make({.process_noise = kNan}), "lqr.process_noise is nan");
}

TEST(LinearQuadratic, ExactRefusesWhatDoesNotFit) {
  const auto call = [](std::vector<double> theta, std::vector<double> variance, Index horizon, double discount) {
    return [=] { linear_quadratic_exact({}, theta, variance, horizon, discount); };
  };
  expect_throw(call({0.0}, {1.0}, 20, 1.0), "theta has 1 entries, expected 2");
  expect_throw(call({0.0, kNan}, {1.0}, 20, 1.0), "entry 1 of theta is nan");
  expect_throw(call({0.0, 0.0}, {-1.0}, 20, 1.0), "entry 0 of variance is -1, expected at least 0");
  expect_throw(call({0.0, 0.0}, {1.0, 1.0}, 20, 1.0), "variance has 2 entries, expected 1");
  expect_throw(call({0.0, 0.0}, {1.0}, 0, 1.0), "the horizon is 0, expected at least 1");
  expect_throw(call({0.0, 0.0}, {1.0}, 20, 1.5), "the discount is 1.5, expected a number in [0, 1]");
  expect_throw(call({0.0, 0.0}, {1.0}, 20, kNan), "the discount is nan");
}

}  // namespace
}  // namespace retropg::test
