#include <nanobind/stl/optional.h>

#include "acting_policy.hpp"
#include "bindings.hpp"
#include "interpreter.hpp"
#include "plant.hpp"
#include "retropg/configuration/memory.hpp"
#include "retropg/core/error.hpp"
#include "retropg/experiment/resolve.hpp"
#include "told_arrays.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

/// A policy that was not trained. Without parameters, those that training begins with.
ActingPolicy made(const Given& given, const PlantShape& shape, std::optional<std::vector<double>> theta) {
  const Configuration configuration = resolve(given);
  for (const GivenSetting& setting : given_settings(given)) {
    require(!setting.key.starts_with("algo.") && !setting.key.starts_with("optimizer."),
            setting.text + ": a policy does not read " + setting.key);
    require_effect(std::span(&setting, 1), configuration);
  }
  const EnvironmentDefinition plant = plant_definition(shape, 1);
  constexpr double kCopies = 8.0;  // to make it, to keep it, to act, and to write it into a file
  require_memory(bytes_of_parameters(configuration, plant, kCopies), "observations, actions and the network",
                 "parameters", "use a smaller network, or fewer observations or actions");
  const auto policy = make_policy(configuration, plant);
  if (!theta) theta = policy->initial_parameters(configuration.train.seed);
  require(as_index(theta->size()) == policy->parameter_count(),
          "the policy has " + std::to_string(policy->parameter_count()) + " parameters, not " +
              std::to_string(theta->size()));
  return ActingPolicy(configuration, plant, *theta);
}

}  // namespace

void bind_plant_policy(nb::module_& module) {
  module.def(
      "make_policy",
      [](const Given& given, Index observation_size, Index action_size, Index action_count,
         const std::optional<Vector>& theta) {
        std::optional<std::vector<double>> parameters;
        if (theta) parameters = copied(*theta);
        const Unlocked unlocked;
        return made(given,
                    {.observation_size = observation_size, .action_size = action_size, .action_count = action_count},
                    std::move(parameters));
      },
      nb::arg("given"), nb::arg("observation_size"), nb::arg("action_size"), nb::arg("action_count"),
      nb::arg("parameters") = nb::none(), "A policy that was not trained; see retropg.Policy.");
}

}  // namespace retropg::python
