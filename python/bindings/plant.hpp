#pragma once

#include <vector>

#include "retropg/environment/environment.hpp"

namespace retropg::python {

/// What Python says of an environment that it steps itself.
struct PlantShape {
  Index observation_size = 0, action_size = 0;
  Index action_count = 0;                           // discrete actions; 0: continuous
  std::vector<double> action_low{}, action_high{};  // empty: actions have no range
};

/// The definition for the library; it cannot be simulated. Throws Error if it is impossible.
EnvironmentDefinition plant_definition(const PlantShape& shape, Index horizon, double discount = 1.0);

}  // namespace retropg::python
