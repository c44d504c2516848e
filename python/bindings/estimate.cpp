#include <algorithm>
#include <array>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acting_policy.hpp"
#include "bindings.hpp"
#include "interpreter.hpp"
#include "plant.hpp"
#include "retropg/configuration/gradient_estimate.hpp"
#include "retropg/core/error.hpp"
#include "retropg/experiment/resolve.hpp"
#include "trajectories.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

using ToldBatch = std::tuple<Vector, std::vector<ToldTrajectory>>;

constexpr std::array kNames = {"algo.name", "env.discount"};
// What of a configuration can change an estimate, besides its names and the policy.
constexpr std::array kRead = {"algo.coefficients", "algo.constant",         "algo.divergence",     "algo.order",
                              "algo.confidence",   "algo.divergence_bound", "algo.gradient_bound", "algo.hessian_bound",
                              "algo.score_bound",  "algo.lambda",           "algo.alpha",          "optimizer.rate",
                              "train.threads"};

void require_read(const std::vector<GivenSetting>& given, const Configuration& configuration) {
  for (const GivenSetting& setting : given) {
    const auto is_in = [&setting](const auto& keys) { return std::ranges::find(keys, setting.key) != keys.end(); };
    if (is_in(kNames)) continue;
    require(is_in(kRead), fmt::format("{}: an estimate does not read {}; it reads {}", setting.text, setting.key,
                                      fmt::join(kRead, ", ")));
    require_effect(std::span(&setting, 1), configuration);
  }
}

Index longest(const std::vector<BehaviorBatch>& batches) {
  Index steps = 1;
  for (const BehaviorBatch& batch : batches) {
    for (Index j = 0; j < batch.trajectories.size(); ++j) steps = std::max(steps, batch.trajectories.length(j));
  }
  return steps;
}

GradientEstimate estimated(const Given& given, const SavedPolicy& saved, Parameters theta,
                           const std::vector<BehaviorBatch>& batches) {
  Configuration configuration = resolve(given);
  take_policy(configuration, saved);
  require_read(given_settings(given), configuration);
  const EnvironmentDefinition plant = plant_definition({.observation_size = saved.observation_size,
                                                        .action_size = saved.action_size,
                                                        .action_count = saved.action_count},
                                                       longest(batches));
  const auto policy = make_policy(configuration, plant);
  return estimate_gradient(configuration, *policy, theta, batches);
}

/// Of a batch: weights, effective sample size, log divergence, alpha, lambda.
using BatchTuple = nb::typed<nb::tuple, Array, double, double, double, double>;

/// (gradient, effective sample size of all, one tuple per batch)
nb::typed<nb::tuple, Array, double, nb::typed<nb::list, BatchTuple>> estimate(const Given& given,
                                                                              const ActingPolicy& policy,
                                                                              const Vector& theta,
                                                                              const std::vector<ToldBatch>& told) {
  const std::vector<double> target = copied(theta);
  std::vector<BehaviorBatch> batches;
  for (const auto& [behavior, trajectories] : told) {
    batches.push_back(
        {.behavior = copied(behavior),
         .trajectories = trajectory_batch(trajectories, policy.observation_size(), policy.action_size())});
  }
  GradientEstimate result;
  {
    const Unlocked unlocked;
    result = estimated(given, policy.saved(), target, batches);
  }
  nb::list of_batches;
  for (GradientEstimate::Batch& batch : result.batches) {
    of_batches.append(nb::make_tuple(as_array(std::move(batch.weights)), batch.effective_sample_size,
                                     batch.log_divergence, batch.alpha, batch.lambda));
  }
  return nb::make_tuple(as_array(std::move(result.gradient)), result.effective_sample_size, of_batches);
}

}  // namespace

void bind_estimate(nb::module_& module) {
  module.def("estimate", &estimate, nb::arg("given"), nb::arg("policy"), nb::arg("theta"), nb::arg("batches"),
             "The gradient at theta from given batches; see retropg.estimate.");
}

}  // namespace retropg::python
