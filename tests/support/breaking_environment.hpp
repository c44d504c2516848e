#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "retropg/environment/environment.hpp"

namespace retropg::test {

/// Which number of a trajectory is broken.
enum class BrokenPart { kObservation, kReward };

/// One number of a trajectory that is replaced. The trajectory is known by the first number of its reset stream.
struct Break {
  double start;
  Index step;  // a trajectory of n steps has observations 0 to n
  BrokenPart part;
  double value;
};

/// A random walk of two coordinates pushed by the action that lasts 5 to 9 steps, with the given breaks.
class Breaking final : public Environment {
 public:
  Breaking(std::vector<Break> breaks, Index lanes)
      : breaks_(std::move(breaks)), lanes_(as_size(lanes)), start_(lanes_), x_(lanes_), age_(lanes_) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    const auto l = as_size(lane);
    start_[l] = random.uniform();
    x_[l] = start_[l] - 0.5;
    age_[l] = 0;
    observe(l, observations);
  }

  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      step.ended[l] = 0.0;
      if (step.live[l] == 0.0) continue;
      step.rewards[l] = 1.0 - x_[l] * x_[l];
      replace(l, age_[l], BrokenPart::kReward, step.rewards[l]);
      x_[l] = 0.8 * x_[l] + 0.1 * step.actions[l];
      age_[l] += 1;
      step.ended[l] = age_[l] == 5 + static_cast<Index>(5.0 * start_[l]) ? 1.0 : 0.0;
      observe(l, step.observations);
    }
  }

  void move(Index from, Index to) override {
    for (auto* row : {&start_, &x_}) (*row)[as_size(to)] = (*row)[as_size(from)];
    age_[as_size(to)] = age_[as_size(from)];
  }

 private:
  void observe(std::size_t lane, std::span<double> observations) const {
    observations[lane] = x_[lane];
    observations[lanes_ + lane] = 0.5;
    replace(lane, age_[lane], BrokenPart::kObservation, observations[lanes_ + lane]);
  }
  void replace(std::size_t lane, Index step, BrokenPart part, double& number) const {
    for (const Break& one : breaks_) {
      if (one.start == start_[lane] && one.step == step && one.part == part) number = one.value;
    }
  }

  std::vector<Break> breaks_;
  std::size_t lanes_;
  std::vector<double> start_, x_;
  std::vector<Index> age_;
};

inline EnvironmentDefinition breaking(const std::vector<Break>& breaks, double discount = 0.5) {
  return {.id = "Breaking-v0",
          .observation_size = 2,
          .action_size = 1,
          .horizon = 12,
          .discount = discount,
          .make = [breaks](Index lanes) { return std::make_unique<Breaking>(breaks, lanes); }};
}

/// The number by which a trajectory is known.
inline double breaking_start(std::uint64_t seed, Index iteration, Index trajectory) {
  return RandomStream({.seed = seed,
                       .purpose = Purpose::kReset,
                       .iteration = static_cast<std::uint32_t>(iteration),
                       .trajectory = static_cast<std::uint32_t>(trajectory)})
      .uniform();
}

inline Index breaking_length(double start) {
  return 5 + static_cast<Index>(5.0 * start);
}

}  // namespace retropg::test
