// A simulator of one's own, trained like the built-in ones. Here: a force brings a mass to rest at the origin.
#include <cstdio>
#include <memory>

#include "retropg/configuration/preset.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/environment/single_environment.hpp"

class Mass final : public retropg::SingleEnvironment {
 public:
  void reset(retropg::RandomStream& random, std::span<double> observation) override {
    position_ = random.uniform(-1.0, 1.0);
    speed_ = 0.0;
    observe(observation);
  }

  retropg::StepResult step(std::span<const double> action, std::span<double> observation) override {
    const double cost = position_ * position_ + 0.1 * action[0] * action[0];
    position_ += 0.1 * speed_;
    speed_ += 0.1 * action[0];
    observe(observation);
    return {.reward = -cost};  // and .terminated or .truncated, if it may end before the horizon
  }

 private:
  void observe(std::span<double> observation) const {
    observation[0] = position_;
    observation[1] = speed_;
  }

  double position_ = 0.0, speed_ = 0.0;
};

int main() {
  const retropg::EnvironmentDefinition mass = retropg::from_single({.id = "Mass-v0",
                                                                    .observation_size = 2,
                                                                    .action_size = 1,
                                                                    .horizon = 100,
                                                                    .action_ranges = {{.low = -2.0, .high = 2.0}}},
                                                                   [] { return std::make_unique<Mass>(); });
  retropg::register_environment({{"Mass-v0", {"Mass"}, "a mass on a rail"}, [=](const auto&) { return mass; }});

  retropg::Configuration configuration = retropg::preset_configuration("Mass");  // what `train --env Mass` would take
  configuration.train.budget = 200;
  const retropg::RunResult result = retropg::train(configuration);
  std::printf("%lld trajectories, return %.2f, parameters", static_cast<long long>(result.trajectories),
              result.mean_return ? result.mean_return->mean : result.final_return);
  for (const double x : result.output) std::printf(" %.3f", x);
  std::printf("\n");
}
