#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "plant.hpp"
#include "retropg/configuration/gradient_estimate.hpp"
#include "retropg/configuration/plant.hpp"
#include "retropg/configuration/registry.hpp"
#include "trajectories.hpp"

namespace nb = nanobind;

namespace retropg::python {
namespace {

using ToldBatch = std::tuple<Vector, std::vector<ToldTrajectory>>;

Index longest(const std::vector<BehaviorBatch>& batches) {
  Index steps = 1;
  for (const BehaviorBatch& batch : batches) {
    for (Index j = 0; j < batch.trajectories.size(); ++j) steps = std::max(steps, batch.trajectories.length(j));
  }
  return steps;
}

/// (gradient, effective sample size of all, one tuple per batch: weights, effective sample size, log divergence, alpha,
/// lambda)
nb::object estimate(const std::vector<std::string>& settings, PlantShape shape, const Vector& theta,
                    const std::vector<ToldBatch>& told) {
  const std::vector<double> target = copied(theta);
  std::vector<BehaviorBatch> batches;
  for (const auto& [behavior, trajectories] : told) {
    batches.push_back({.behavior = copied(behavior),
                       .trajectories = trajectory_batch(trajectories, shape.observation_size, shape.action_size)});
  }
  GradientEstimate result;
  {
    const nb::gil_scoped_release release;
    Configuration configuration;
    configuration.env.id = kPlant;
    for (const std::string& setting : settings) apply_setting(configuration, setting);
    shape.horizon = longest(batches);
    const auto policy = make_policy(canonical(configuration), plant_definition(shape));
    result = estimate_gradient(configuration, *policy, target, batches);
  }
  nb::list of_batches;
  for (GradientEstimate::Batch& batch : result.batches) {
    of_batches.append(nb::make_tuple(numpy_array(std::move(batch.weights)), batch.effective_sample_size,
                                     batch.log_divergence, batch.alpha, batch.lambda));
  }
  return nb::make_tuple(numpy_array(std::move(result.gradient)), result.effective_sample_size, of_batches);
}

}  // namespace

void bind_estimate(nb::module_& module) {
  module.def(
      "estimate",
      [](const std::vector<std::string>& settings, Index observation_size, Index action_size, Index action_count,
         const Vector& theta, const std::vector<ToldBatch>& batches) {
        return estimate(
            settings, {.observation_size = observation_size, .action_size = action_size, .action_count = action_count},
            theta, batches);
      },
      nb::arg("settings"), nb::arg("observation_size"), nb::arg("action_size"), nb::arg("action_count"),
      nb::arg("theta"), nb::arg("batches"), "The gradient at theta from given batches; see retropg.estimate.");
}

}  // namespace retropg::python
