#include "plant.hpp"

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"

namespace retropg::python {

EnvironmentDefinition plant_definition(const PlantShape& shape, Index horizon, double discount) {
  require(shape.action_low.size() == shape.action_high.size(), "give both action_low and action_high, or neither");
  EnvironmentDefinition plant{.id = std::string(kPlant),
                              .observation_size = shape.observation_size,
                              .action_size = shape.action_size,
                              .horizon = horizon,
                              .discount = discount,
                              .make = [](Index) -> std::unique_ptr<Environment> {
                                throw Error("the trajectories of a plant are told, not simulated");
                              },
                              .action_count = shape.action_count};
  for (std::size_t u = 0; u < shape.action_low.size(); ++u) {
    plant.action_ranges.push_back({.low = shape.action_low[u], .high = shape.action_high[u]});
  }
  check(plant);
  return plant;
}

}  // namespace retropg::python
