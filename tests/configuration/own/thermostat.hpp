#pragma once

#include <memory>
#include <vector>

#include "retropg/environment/environment.hpp"

namespace retropg::test {

/// An environment as a user would write it: a room that cools by a tenth a step, is heated by the action, and should
/// be at temperature 0.
class Thermostat final : public Environment {
 public:
  explicit Thermostat(Index lanes) : temperature_(as_size(lanes)) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    observations[as_size(lane)] = temperature_[as_size(lane)] = random.uniform(-2.0, 2.0);
  }

  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      if (step.live[l] == 0.0) continue;
      step.observations[l] = temperature_[l] = 0.9 * temperature_[l] + 0.2 * step.actions[l];
      step.rewards[l] = -temperature_[l] * temperature_[l];
      step.ended[l] = 0.0;
    }
  }

  void move(Index from, Index to) override { temperature_[as_size(to)] = temperature_[as_size(from)]; }

 private:
  std::vector<double> temperature_;
};

inline EnvironmentDefinition thermostat() {
  return {.id = "Thermostat-v0",
          .observation_size = 1,
          .action_size = 1,
          .horizon = 20,
          .discount = 1.0,
          .make = [](Index lanes) { return std::make_unique<Thermostat>(lanes); }};
}

}  // namespace retropg::test
