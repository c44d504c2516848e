#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "acting_policy.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "interpreter.hpp"
#include "interrupts.hpp"
#include "retropg/core/error.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Array act(ActingPolicy& policy, const Rows& observations, bool deterministic, const std::optional<Flags>& starts) {
  require(as_index(observations.shape(1)) == policy.observation_size(),
          "the policy expects " + std::to_string(policy.observation_size()) + " observations, not " +
              std::to_string(observations.shape(1)));
  const std::size_t rows = observations.shape(0), size = as_size(policy.action_size());
  require(!starts || starts->shape(0) == rows, "episode_start needs one value per observation");
  std::vector<double> actions(rows * size);
  const std::span<const double> given(observations.data(), observations.size());
  if (deterministic) {
    const Unlocked unlocked;
    policy.act(given, actions);
  } else {  // with the lock, because it changes the policy's random numbers
    policy.sample(given, starts ? std::span(starts->data(), rows) : std::span<const bool>(), actions);
  }
  return as_array(std::move(actions), {rows, size});
}

Array evaluate(const ActingPolicy& policy, Index episodes, std::uint64_t seed, Index threads, bool deterministic,
               const std::shared_ptr<GymSource>& environment) {
  Interrupts interrupts;
  struct Stopped {};
  std::vector<double> returns;
  {
    const Unlocked unlocked;
    try {
      returns = policy.evaluate({.episodes = episodes,
                                 .seed = seed,
                                 .threads = thread_count(threads),
                                 .deterministic = deterministic,
                                 .progress =
                                     [&](Index) {
                                       if (interrupts.pending()) throw Stopped();
                                     }},
                                environment);
    } catch (const Stopped&) {
    }
  }
  interrupts.rethrow();
  require(!python_ends(), "Python ends: the evaluation was stopped");
  return as_array(std::move(returns));
}

std::pair<double, double> interval_of_mean(const nb::ndarray<const double, nb::ndim<1>, nb::c_contig>& values) {
  const Interval interval = mean_interval({values.data(), values.size()}, 0.95);
  return {interval.low, interval.high};
}

}  // namespace

void bind_policy(nb::module_& module) {
  nb::class_<ActingPolicy>(module, "Policy", "A policy with its parameters.")
      .def(nb::init<const std::string&, const std::optional<std::string>&>(), nb::arg("path"),
           nb::arg("choice") = nb::none(), nb::call_guard<Unlocked>(),
           "Loads a policy file, or a policy of a run folder.")
      .def_prop_ro("observation_size", &ActingPolicy::observation_size)
      .def_prop_ro("action_size", &ActingPolicy::action_size)
      .def_prop_ro(
          "action_count", [](const ActingPolicy& policy) { return policy.saved().action_count; },
          "Discrete actions; 0: continuous.")
      .def_prop_ro("environment", [](const ActingPolicy& policy) { return policy.saved().environment; })
      .def_prop_ro("kind", [](const ActingPolicy& policy) { return policy.saved().settings.kind; })
      .def_prop_ro(
          "exploration", [](const ActingPolicy& policy) { return name_of(policy.saved().exploration); },
          "What is drawn: actions, or parameters once per episode.")
      .def_prop_ro(
          "parameters",
          [](const ActingPolicy& policy) {
            const std::vector<double>& theta = policy.saved().parameters;
            return nb::ndarray<nb::numpy, const double, nb::ndim<1>>(theta.data(), {theta.size()}, nb::find(policy));
          },
          "A view of the parameters.")
      .def("seed", &ActingPolicy::seed, nb::arg("seed"), "Begins new trajectories with this seed.")
      .def("act", &act, nb::arg("observations"), nb::arg("deterministic"), nb::arg("starts") = nb::none(),
           "One row of actions per row of observations.")
      .def("evaluate", &evaluate, nb::arg("episodes"), nb::arg("seed"), nb::arg("threads"), nb::arg("deterministic"),
           nb::arg("environment") = nb::none(), "The discounted return of every episode.")
      .def(
          "save", [](const ActingPolicy& policy, const std::string& path) { save_policy(path, policy.saved()); },
          nb::arg("path"), nb::call_guard<Unlocked>(), "Writes a policy file.");
  module.def("mean_interval", &interval_of_mean, nb::arg("values"), "The 95 % Student t interval of the mean.");
  module.def(
      "student_t", [](Index values) { return student_t_quantile(0.975, static_cast<double>(values - 1)); },
      nb::arg("values"), "Half-width of the 95 % interval of a mean of so many values, in standard errors.");
}

}  // namespace retropg::python
