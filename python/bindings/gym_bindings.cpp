#include <numeric>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "gym_environment.hpp"
#include "retropg/core/error.hpp"

namespace nb = nanobind;

namespace retropg::python {
namespace {

using Make = nb::typed<nb::callable, nb::object()>;
using DoubleArray = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

std::shared_ptr<GymSpaces> spaces_with(const std::string& name, const std::vector<Index>& observation_shape) {
  auto spaces = std::make_shared<GymSpaces>(GymSpaces{.name = name, .observation_shape = observation_shape});
  spaces->observation_size =
      std::accumulate(observation_shape.begin(), observation_shape.end(), Index{1}, std::multiplies<>());
  return spaces;
}

}  // namespace

void bind_gym(nb::module_& module) {
  nb::register_exception_translator([](const std::exception_ptr& exception, void*) {
    try {
      std::rethrow_exception(exception);
    } catch (const Interrupted&) {
      if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  nb::class_<GymSpaces>(module, "GymSpaces", "How numbers pass to and from environments of one kind.")
      .def_ro("name", &GymSpaces::name)
      .def_static(
          "discrete",
          [](const std::string& name, const std::vector<Index>& observation_shape, std::vector<nb::object> choices) {
            std::shared_ptr<GymSpaces> spaces = spaces_with(name, observation_shape);
            spaces->choices = std::move(choices);
            return spaces;
          },
          nb::arg("name"), nb::arg("observation_shape"), nb::arg("choices"))
      .def_static(
          "box",
          [](const std::string& name, const std::vector<Index>& observation_shape, nb::object scratch, nb::object dtype,
             bool whole, std::vector<double> low, std::vector<double> high) {
            std::shared_ptr<GymSpaces> spaces = spaces_with(name, observation_shape);
            const auto numbers = nb::cast<DoubleArray>(scratch);
            require(low.size() == numbers.size() && high.size() == numbers.size(), "bounds must be one per action");
            spaces->action_size = as_index(low.size());
            spaces->scratch_numbers = numbers.data();
            spaces->scratch = std::move(scratch);
            spaces->dtype = std::move(dtype);
            spaces->whole = whole;
            spaces->low = std::move(low);
            spaces->high = std::move(high);
            return spaces;
          },
          nb::arg("name"), nb::arg("observation_shape"), nb::arg("scratch"), nb::arg("dtype"), nb::arg("whole"),
          nb::arg("low"), nb::arg("high"));
  nb::class_<GymSource>(module, "GymSource", "Where a run gets the environments from that are handed over.")
      .def_prop_ro("name", [](const GymSource& source) { return source.spaces().name; })
      .def_prop_ro("discrete", [](const GymSource& source) { return source.spaces().discrete(); });
  nb::class_<GymPool, GymSource>(module, "GymPool", "Environments of this process.")
      .def(nb::init<std::shared_ptr<GymSpaces>, Index, Make>(), nb::arg("spaces"), nb::arg("horizon"), nb::arg("make"))
      .def("close", &GymPool::close);
  nb::class_<GymNumbers>(module, "GymNumbers", "The numbers that environments exchange, one row for each.")
      .def(
          "__init__",
          [](GymNumbers* self, Rows observations, Rows actions, Column rewards, Column ended, Column live) {
            new (self) GymNumbers{.observations = std::move(observations),
                                  .actions = std::move(actions),
                                  .rewards = std::move(rewards),
                                  .ended = std::move(ended),
                                  .live = std::move(live)};
          },
          nb::arg("observations"), nb::arg("actions"), nb::arg("rewards"), nb::arg("ended"), nb::arg("live"));
  nb::class_<GymRows>(module, "GymRows", "Environments that are stepped where their numbers are.")
      .def(nb::init<std::shared_ptr<GymSpaces>, Make, GymNumbers>(), nb::arg("spaces"), nb::arg("make"),
           nb::arg("numbers"))
      .def("reset", &GymRows::reset, nb::arg("slot"), nb::arg("seed"))
      .def("step", &GymRows::step);
  nb::class_<GymHost, GymSource>(module, "GymHost", "Environments that a Python object steps.")
      .def(nb::init<std::shared_ptr<GymSpaces>, Index, nb::object, GymNumbers, Index, bool>(), nb::arg("spaces"),
           nb::arg("horizon"), nb::arg("host"), nb::arg("numbers"), nb::arg("workers"), nb::arg("indivisible"))
      .def("close", &GymHost::close);
}

}  // namespace retropg::python
