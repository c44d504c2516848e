#pragma once

#include <string>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/environment/environment.hpp"

namespace retropg::python {

/// What Python says of an environment that it steps itself.
struct PlantShape {
  Index observation_size = 0, action_size = 0;
  Index action_count = 0;  // discrete actions; 0: continuous
  Index horizon = 1;
  std::vector<double> action_low{}, action_high{};  // empty: actions have no range
};

/// The definition for the library; it cannot be simulated. Throws Error if the shape is impossible.
EnvironmentDefinition plant_definition(const PlantShape& shape);

}  // namespace retropg::python
