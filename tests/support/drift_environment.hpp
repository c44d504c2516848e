#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "retropg/environment/environment.hpp"

namespace retropg::test {

enum class DriftReward { kEveryStep, kLastStep };

/// A small environment for identities: position and speed pushed by one action, from a random start. It ends when the
/// position leaves [-1, 1] and after 12 steps by itself, so that it knows its last step and trajectories differ in
/// length. Rewarded at every step, or only at the last one taken.
class Drift final : public Environment {
 public:
  static constexpr double kSteps = 12.0;

  Drift(DriftReward reward, Index lanes)
      : reward_(reward), lanes_(as_size(lanes)), x_(lanes_), v_(lanes_), age_(lanes_) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    const auto l = as_size(lane);
    x_[l] = random.uniform(-0.8, 0.8);
    v_[l] = random.uniform(-1.0, 1.0);
    age_[l] = 0.0;
    observe(l, observations);
  }

  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      step.rewards[l] = step.ended[l] = 0.0;
      if (step.live[l] == 0.0) continue;
      x_[l] += 0.3 * v_[l] + 0.2 * step.actions[l];
      v_[l] = 0.9 * v_[l] + 0.1 * step.actions[l];
      age_[l] += 1.0;
      const bool last = std::abs(x_[l]) > 1.0 || age_[l] == kSteps;
      if (last || reward_ == DriftReward::kEveryStep) step.rewards[l] = 1.5 - x_[l] * x_[l];
      step.ended[l] = last ? 1.0 : 0.0;
      observe(l, step.observations);
    }
  }

  void move(Index from, Index to) override {
    for (auto* row : {&x_, &v_, &age_}) {
      (*row)[as_size(to)] = (*row)[as_size(from)];
    }
  }

 private:
  void observe(std::size_t lane, std::span<double> observations) const {
    observations[lane] = x_[lane];
    observations[lanes_ + lane] = v_[lane];
  }

  DriftReward reward_;
  std::size_t lanes_;
  std::vector<double> x_, v_, age_;
};

inline EnvironmentDefinition drift(DriftReward reward = DriftReward::kEveryStep, double discount = 0.95) {
  return {.id = "Drift",
          .observation_size = 2,
          .action_size = 1,
          .horizon = static_cast<Index>(Drift::kSteps),
          .discount = discount,
          .make = [reward](Index lanes) { return std::make_unique<Drift>(reward, lanes); }};
}

}  // namespace retropg::test
