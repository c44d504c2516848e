#include "retropg/configuration/memory.hpp"

#include <algorithm>

#include "retropg/configuration/registry.hpp"

namespace retropg {
namespace {

/// The steps of the fresh batch, which are there besides the evidence made from them.
double bytes_of_steps(const RunParts& parts) {
  const EnvironmentDefinition& environment = parts.environment;
  // Observation, action, what the actor notes of it, and reward: of each trajectory and then of the batch, and once
  // more in the trainer for a baseline. A gatherer has room for up to twice the steps of each.
  const Index copies = parts.baseline == nullptr && parts.policy.gathering() == nullptr ? 2 : 3;
  const Index step = copies * (environment.observation_size + 2 * environment.action_size + 1);
  const bool each = parts.baseline != nullptr && parts.configuration.algo.baseline == "peters" &&
                    parts.policy.provides(Capability::kComponentCredits);
  const Index credits = each ? 2 * parts.policy.parameter_count() : 1;
  return static_cast<double>(parts.estimator.largest_iteration()) *
         static_cast<double>(environment.horizon * (step + credits)) * sizeof(double);
}

}  // namespace

double bytes_of_parameters(const Configuration& configuration, const EnvironmentDefinition& environment,
                           double copies) {
  double inputs = static_cast<double>(environment.observation_size), count = 0.0;
  if (reads(configuration, "policy.hidden")) {
    for (const Index units : configuration.policy.hidden) {
      count += inputs * static_cast<double>(units);
      inputs = static_cast<double>(units);
    }
  }
  count += inputs * static_cast<double>(std::max(environment.action_size, environment.action_count));
  return copies * count * sizeof(double);
}

double memory_needed(const RunParts& parts, double iterations) {
  const Index largest = parts.estimator.largest_iteration(), horizon = parts.environment.horizon;
  // There are copies of the parameters in the trainer, the optimizer, the estimate and the kernels' layouts, and one
  // per chunk of the batch.
  const double copies = 16.0 + static_cast<double>(chunk_count(largest));
  const double per_trajectory =
      static_cast<double>(parts.policy.bytes_per_trajectory(horizon)) +
      static_cast<double>(parts.policy.bytes_of_pass(largest, horizon)) / static_cast<double>(largest);
  double needed = copies * static_cast<double>(parts.policy.parameter_count()) * sizeof(double) +
                  parts.estimator.bytes_needed(per_trajectory, iterations);
  if (parts.baseline != nullptr) needed += parts.baseline->bytes_needed(iterations);
  const bool gathers_no_steps = parts.policy.gathering() != nullptr && !parts.policy.provides(Capability::kSteps);
  if (parts.baseline != nullptr || !gathers_no_steps) needed += bytes_of_steps(parts);
  return needed;
}

}  // namespace retropg
