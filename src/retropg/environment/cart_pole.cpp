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
                            step.observations.data(), step.rewards.data(), step.terminated.data());
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

}  // namespace retropg
