#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "retropg/environment/environment.hpp"

namespace retropg::test {

/// A small environment as a user would write it: a point on a line that is pushed, reward -x^2, lost beyond |x| = 3.
class PointMass final : public Environment {
 public:
  explicit PointMass(Index lanes) : lanes_(as_size(lanes)), position_(lanes_), speed_(lanes_) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    const auto l = as_size(lane);
    position_[l] = random.uniform(-1.0, 1.0);
    speed_[l] = 0.0;
    observe(l, observations);
  }

  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      if (step.live[l] == 0.0) continue;
      speed_[l] += 0.1 * step.actions[l];
      position_[l] += 0.1 * speed_[l];
      step.rewards[l] = -position_[l] * position_[l];
      step.ended[l] = std::abs(position_[l]) > 3.0 ? 1.0 : 0.0;
      observe(l, step.observations);
    }
  }

  void move(Index from, Index to) override {
    position_[as_size(to)] = position_[as_size(from)];
    speed_[as_size(to)] = speed_[as_size(from)];
  }

 private:
  void observe(std::size_t lane, std::span<double> observations) const {
    observations[lane] = position_[lane];
    observations[lanes_ + lane] = speed_[lane];
  }

  std::size_t lanes_;
  std::vector<double> position_, speed_;
};

inline EnvironmentDefinition point_mass() {
  return {.id = "TestPointMass-v0",
          .observation_size = 2,
          .action_size = 1,
          .horizon = 50,
          .discount = 1.0,
          .make = [](Index lanes) { return std::make_unique<PointMass>(lanes); }};
}

}  // namespace retropg::test
