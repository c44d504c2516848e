#include "retropg/environment/bandit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <numbers>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

void check_options(const BanditOptions& options) {
  require(std::isfinite(options.target),
          fmt::format("GaussianBandit: target is {}, expected a finite number", options.target));
  require(std::isfinite(options.width) && options.width > 0.0,
          fmt::format("GaussianBandit: width is {}, expected a finite number above 0", options.width));
}

class GaussianBandit final : public Environment {
 public:
  explicit GaussianBandit(const BanditOptions& options) : options_(options) {}

  void reset(Index lane, RandomStream& /*random*/, std::span<double> observations) override {
    observations[as_size(lane)] = 1.0;
  }

  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      const bool live = step.live[l] > 0.0;
      const double distance = (step.actions[l] - options_.target) / options_.width;
      step.rewards[l] = live ? std::exp(-0.5 * distance * distance) : 0.0;
      step.observations[l] = live ? 1.0 : 0.0;
      step.ended[l] = live ? LaneStep::kTerminated : LaneStep::kRunning;
    }
  }

  void move(Index /*from*/, Index /*to*/) override {}  // lanes have no state

 private:
  BanditOptions options_;
};

/// The mean reward of actions uniform over [-1, 1] is an integral over the bell.
ReferenceReturns references(const BanditOptions& options) {
  const double unit = options.width * std::numbers::sqrt2;
  const double share = std::erf((1.0 - options.target) / unit) + std::erf((1.0 + options.target) / unit);
  return {.random = 0.25 * options.width * std::sqrt(2.0 * std::numbers::pi) * share, .best = 1.0};
}

}  // namespace

EnvironmentDefinition gaussian_bandit(const BanditOptions& options) {
  check_options(options);
  return {.id = "GaussianBandit-v0",
          .observation_size = 1,
          .action_size = 1,
          .horizon = 1,
          .discount = 1.0,
          .make = [options](Index /*lanes*/) { return std::make_unique<GaussianBandit>(options); },
          .observation_names = {"one"},
          .action_names = {"a"},
          .range = [](Index, double) { return ReturnRange{.smallest = 0.0, .largest = 1.0}; },
          .references = [options](Index, double) { return std::optional(references(options)); }};
}

ExactGradient gaussian_bandit_exact(const BanditOptions& options, double theta, double variance) {
  check_options(options);
  require(std::isfinite(theta), fmt::format("GaussianBandit: theta is {}, expected a finite number", theta));
  require(std::isfinite(variance) && variance >= 0.0,
          fmt::format("GaussianBandit: variance is {}, expected a finite number of at least 0", variance));
  const double v = options.width * options.width + variance, distance = theta - options.target;
  const double value = options.width / std::sqrt(v) * std::exp(-0.5 * distance * distance / v);
  return {.value = value, .gradient{-value * distance / v}};
}

}  // namespace retropg
