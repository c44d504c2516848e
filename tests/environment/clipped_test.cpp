#include "retropg/environment/clipped.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "retropg/configuration/registry.hpp"
#include "retropg/training/evaluate.hpp"
#include "support/point_mass.hpp"

namespace retropg::test {
namespace {

constexpr ActionRange kRange{.low = -0.5, .high = 2.0};

/// Observes 1 and its last action within the range; the reward is minus the square of the action that it is given.
class Costly final : public Environment {
 public:
  explicit Costly(Index lanes) : lanes_(as_size(lanes)) {}
  void reset(Index lane, RandomStream&, std::span<double> observations) override {
    observations[as_size(lane)] = 1.0;
    observations[lanes_ + as_size(lane)] = 0.0;
  }
  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      step.rewards[l] = -step.actions[l] * step.actions[l];
      step.observations[l] = 1.0;
      step.observations[lanes_ + l] = std::clamp(step.actions[l], kRange.low, kRange.high);
      step.ended[l] = 0.0;
    }
  }
  void move(Index, Index) override {}

 private:
  std::size_t lanes_;
};

EnvironmentDefinition costly() {
  return {.id = "TestCostly-v0",
          .observation_size = 2,
          .action_size = 1,
          .horizon = 3,
          .make = [](Index lanes) { return std::make_unique<Costly>(lanes); },
          .action_ranges = {kRange}};
}

double return_of(const EnvironmentDefinition& environment, double action) {
  Configuration configuration;
  const auto policy = make_policy(configuration, environment);
  std::vector<double> theta(as_size(policy->parameter_count()), 0.0);
  theta.front() = action;
  return evaluate(environment, *policy, theta, {.episodes = 1, .deterministic = true}).front();
}

TEST(Clipped, CostsAreThoseOfTheClippedAction) {
  EXPECT_DOUBLE_EQ(return_of(costly(), 3.0), -27.0);
  EXPECT_DOUBLE_EQ(return_of(clipped(costly()), 3.0), -12.0);
  EXPECT_DOUBLE_EQ(return_of(clipped(costly()), -3.0), -0.75);
  EXPECT_DOUBLE_EQ(return_of(clipped(costly()), 1.0), -3.0) << "an action within its range is not changed";
}

TEST(Clipped, AnEnvironmentWithoutRangesStaysAsItIs) {
  EXPECT_DOUBLE_EQ(return_of(clipped(point_mass()), 100.0), return_of(point_mass(), 100.0));
}

TEST(Clipped, TheKeyClips) {
  register_environment({{"TestCostlyKey-v0", {}, "test"}, [](const Configuration&) { return costly(); }});
  Configuration configuration;
  configuration.env.id = "TestCostlyKey-v0";
  EXPECT_DOUBLE_EQ(return_of(make_environment(configuration), 3.0), -27.0);
  configuration.env.clip = true;
  EXPECT_DOUBLE_EQ(return_of(make_environment(configuration), 3.0), -12.0);
}

}  // namespace
}  // namespace retropg::test
