#include "retropg/core/aligned.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/kernels/cart_pole.hpp"

namespace retropg {
namespace {

constexpr Index kStateSize = 4;  // x, v, phi, w; fully observed
constexpr double kResetRange = 0.05;

class CartPole final : public Environment, public LinearFeedback {
 public:
  explicit CartPole(Index lanes) : lanes_(lanes), state_(as_size(kStateSize * lanes), 0.0) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    for (Index row = 0; row < kStateSize; ++row) {
      const auto at = as_size(row * lanes_ + lane);
      state_[at] = observations[at] = random.uniform(-kResetRange, kResetRange);
    }
  }

  void step(const LaneStep& step) override {
    kernels::cart_pole_step(as_size(step.active), as_size(lanes_), step.actions.data(), step.live.data(), state_.data(),
                            step.observations.data(), step.rewards.data(), step.ended.data());
  }

  LinearFeedback* linear_feedback() override { return this; }

  void follow(const kernels::FeedbackRows& rows) override { kernels::cart_pole_follow(rows, state_.data()); }

  void move(Index from, Index to) override {
    for (Index row = 0; row < kStateSize; ++row) {
      state_[as_size(row * lanes_ + to)] = state_[as_size(row * lanes_ + from)];
    }
  }

 private:
  Index lanes_;
  AlignedVector<double> state_;
};

/// The same block, whose actions are the direction of the force.
class PushedCartPole final : public Environment {
 public:
  explicit PushedCartPole(Index lanes) : cart_pole_(lanes), forces_(as_size(lanes)) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    cart_pole_.reset(lane, random, observations);
  }

  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      forces_[l] = step.actions[l] > 0.5 ? kernels::kCartPoleForce : -kernels::kCartPoleForce;
    }
    LaneStep pushed = step;
    pushed.actions = forces_;
    cart_pole_.step(pushed);
  }

  void move(Index from, Index to) override { cart_pole_.move(from, to); }

 private:
  CartPole cart_pole_;
  AlignedVector<double> forces_;
};

}  // namespace

EnvironmentDefinition cart_pole() {
  return {.id = "CartPoleContinuous-v0",
          .observation_size = kStateSize,
          .action_size = 1,
          .horizon = 200,
          .discount = 1.0,
          .make = [](Index lanes) { return std::make_unique<CartPole>(lanes); },
          .action_ranges = {{-kernels::kCartPoleForce, kernels::kCartPoleForce}},
          .observation_names = {"x", "v", "phi", "w"},
          .action_names = {"force"},
          .range = one_per_step,
          .references = measured_for(200, {.random = 27.85, .best = 200.0})};
}

EnvironmentDefinition pushed_cart_pole() {
  EnvironmentDefinition environment = cart_pole();
  environment.id = "CartPole-v1";
  environment.horizon = 500;
  environment.make = [](Index lanes) { return std::make_unique<PushedCartPole>(lanes); };
  environment.action_count = 2;
  environment.action_ranges.clear();
  environment.action_names = {"push"};
  environment.references = measured_for(500, {.random = 22.22, .best = 500.0});
  return environment;
}

}  // namespace retropg
