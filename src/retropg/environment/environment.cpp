#include "retropg/environment/environment.hpp"

#include <cmath>

#include "retropg/core/error.hpp"

namespace retropg {

ReturnRange return_range(const EnvironmentDefinition& environment) {
  return environment.range ? environment.range(environment.horizon, environment.discount) : ReturnRange{};
}

std::optional<ReferenceReturns> reference_returns(const EnvironmentDefinition& environment) {
  if (!environment.references) return std::nullopt;
  const auto returns = environment.references(environment.horizon, environment.discount);
  // Sums over unstable dynamics can overflow, and without a difference nothing can be normalized.
  const bool usable =
      returns && std::isfinite(returns->random) && std::isfinite(returns->best) && returns->random < returns->best;
  return usable ? returns : std::nullopt;
}

void check(const EnvironmentDefinition& environment) {
  const std::string name = "environment '" + environment.id + "'";
  require(environment.make != nullptr, name + " has no function that makes it");
  require(environment.observation_size >= 1 && environment.action_size >= 1,
          name + " needs at least one observation and one action");
  require(environment.horizon >= 1, name + " needs a horizon of at least 1 step");
  require(environment.most_lanes >= 1 && environment.most_live >= 1, name + " needs at least one lane");
  require(environment.discount >= 0.0 && environment.discount <= 1.0, name + " needs a discount from 0 to 1");
  const auto require_one_each = [&](const char* what, std::size_t count, Index size) {
    require(count == 0 || as_index(count) == size,
            name + " has " + std::to_string(count) + " " + what + "; expected " + std::to_string(size) + " or none");
  };
  require_one_each("ranges of actions", environment.action_ranges.size(), environment.action_size);
  require_one_each("names of actions", environment.action_names.size(), environment.action_size);
  require_one_each("names of observations", environment.observation_names.size(), environment.observation_size);
  const bool discrete = environment.action_count != 0;
  require(
      !discrete || (environment.action_count >= 2 && environment.action_size == 1 && environment.action_ranges.empty()),
      name + " needs at least 2 discrete actions, given as one number without a range, or an action_count of 0");
  for (const ActionRange& range : environment.action_ranges) {
    require(std::isfinite(range.low) && std::isfinite(range.high) && range.low < range.high,
            name + " has a range of an action that is not finite or empty");
  }
}

}  // namespace retropg
