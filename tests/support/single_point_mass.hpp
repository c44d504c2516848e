#pragma once

#include <cmath>
#include <memory>

#include "retropg/environment/single_environment.hpp"
#include "support/point_mass.hpp"

namespace retropg::test {

struct SinglePointMassOptions {
  double noise = 0.0;  // of the speed, in every step
  Index patience = 0;  // truncated after so many steps; 0: never
};

/// PointMass, one trajectory at a time.
class SinglePointMass final : public SingleEnvironment {
 public:
  explicit SinglePointMass(const SinglePointMassOptions& options) : options_(options) {}

  void reset(RandomStream& random, std::span<double> observation) override {
    position_ = random.uniform(-1.0, 1.0);
    speed_ = 0.0;
    age_ = 0;
    random_ = random;
    observe(observation);
  }

  StepResult step(std::span<const double> action, std::span<double> observation) override {
    speed_ += 0.1 * action[0];
    if (options_.noise > 0.0) speed_ += options_.noise * random_.normal();
    position_ += 0.1 * speed_;
    observe(observation);
    return {.reward = -position_ * position_,
            .terminated = std::abs(position_) > 3.0,
            .truncated = ++age_ == options_.patience};
  }

 private:
  void observe(std::span<double> observation) const {
    observation[0] = position_;
    observation[1] = speed_;
  }

  SinglePointMassOptions options_;
  double position_ = 0.0, speed_ = 0.0;
  Index age_ = 0;
  RandomStream random_{StreamName{}};
};

inline EnvironmentDefinition single_point_mass(const SinglePointMassOptions& options = {}) {
  return from_single(point_mass(), [options] { return std::make_unique<SinglePointMass>(options); });
}

}  // namespace retropg::test
