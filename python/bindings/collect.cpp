#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "acting_policy.hpp"
#include "bindings.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/experiment/resolve.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/rollout/collector.hpp"
#include "trajectories.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

/// The trajectories that training with this seed simulates in an iteration, of any behavior.
TrajectoryBatch simulated(const Given& given, const SavedPolicy& saved, Parameters theta, Index iteration, Index first,
                          Index count) {
  Configuration configuration = resolve(given);
  const EnvironmentDefinition environment = make_environment(configuration);
  require(environment.observation_size == saved.observation_size && environment.action_size == saved.action_size &&
              environment.action_count == saved.action_count,
          "the policy is not one for " + environment.id);
  take_policy(configuration, saved);
  const auto policy = make_policy(configuration, environment);
  require(as_index(theta.size()) == policy->parameter_count() && all_finite(theta),
          "the policy has " + std::to_string(policy->parameter_count()) + " finite parameters");
  require(iteration >= 0 && first >= 0 && count >= 1, "iteration, first and count must not be negative, count not 0");
  const Workers workers(thread_count(configuration.train.threads));
  Collector collector(environment, *policy, {.seed = configuration.train.seed}, workers);
  return collector.collect_steps(theta, iteration, first, count);
}

}  // namespace

void bind_collect(nb::module_& module) {
  module.def(
      "collect",
      [](const Given& given, const ActingPolicy& policy, const Vector& theta, Index iteration, Index first,
         Index count) {
        const std::vector<double> behavior = copied(theta);
        TrajectoryBatch batch;
        {
          const nb::gil_scoped_release release;
          batch = simulated(given, policy.saved(), behavior, iteration, first, count);
        }
        return numpy_trajectories(batch);
      },
      nb::arg("given"), nb::arg("policy"), nb::arg("theta"), nb::arg("iteration"), nb::arg("first"), nb::arg("count"),
      "Simulated trajectories; see retropg.collect.");
}

}  // namespace retropg::python
