#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "acting_policy.hpp"
#include "bindings.hpp"
#include "interpreter.hpp"
#include "retropg/configuration/memory.hpp"
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
                          Index count, const std::shared_ptr<GymSource>& source) {
  Configuration configuration = resolve(given);
  const EnvironmentDefinition environment = make_environment(configuration, definition(source, configuration));
  require(environment.observation_size == saved.observation_size && environment.action_size == saved.action_size &&
              environment.action_count == saved.action_count,
          "the policy is not one for " + environment.id);
  take_policy(configuration, saved);
  const auto policy = make_policy(configuration, environment);
  require(as_index(theta.size()) == policy->parameter_count() && all_finite(theta),
          "the policy has " + std::to_string(policy->parameter_count()) + " finite parameters");
  require(iteration >= 0 && first >= 0 && count >= 1, "iteration, first and count must not be negative, count not 0");
  const Index numbers = environment.observation_size + 2 * environment.action_size + 1;
  constexpr double kCopies = 3.0;  // of each trajectory, of all together, and in NumPy
  require_memory(
      kCopies * static_cast<double>(count) * static_cast<double>(environment.horizon * numbers) * sizeof(double),
      "count = " + std::to_string(count), "trajectories of full length", "collect fewer at a time");
  const Workers workers(thread_count(configuration.train.threads));
  Collector collector(environment, *policy, {.seed = configuration.train.seed}, workers);
  return collector.collect_steps(theta, iteration, first, count);
}

}  // namespace

void bind_collect(nb::module_& module) {
  module.def(
      "collect",
      [](const Given& given, const ActingPolicy& policy, const Vector& theta, Index iteration, Index first, Index count,
         const std::shared_ptr<GymSource>& environment) {
        const std::vector<double> behavior = copied(theta);
        TrajectoryBatch batch;
        {
          const Unlocked unlocked;
          batch = simulated(given, policy.saved(), behavior, iteration, first, count, environment);
        }
        return numpy_trajectories(batch);
      },
      nb::arg("given"), nb::arg("policy"), nb::arg("theta"), nb::arg("iteration"), nb::arg("first"), nb::arg("count"),
      nb::arg("environment") = nb::none(), "Simulated trajectories; see retropg.collect.");
}

}  // namespace retropg::python
