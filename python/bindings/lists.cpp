#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "retropg/configuration/memory.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/core/version.hpp"
#include "retropg/environment/mujoco.hpp"

namespace retropg::python {
namespace {

template <typename Entries>
std::vector<std::string> names(const Entries& entries) {
  std::vector<std::string> result;
  for (const auto& entry : entries) result.push_back(entry.name);
  return result;
}

/// The name of the environment that is called so; nothing if there is none.
std::optional<std::string> environment_called(const std::string& name) {
  for (const EnvironmentEntry& entry : environments()) {
    if (is_called(entry, name)) return entry.name;
  }
  return std::nullopt;
}

}  // namespace

void bind_lists(nanobind::module_& module) {
  module.def("require_memory", &require_memory, nanobind::arg("bytes"), nanobind::arg("what"), nanobind::arg("purpose"),
             nanobind::arg("advice"), "Raises Error if this process may not take so many bytes.");
  module.def("version", &version, "The version of retropg.");
  module.def("mujoco_version", &mujoco_version, "The version of MuJoCo, or an empty string without it.");
  module.def(
      "environments", [] { return names(environments()); }, "The names of all environments.");
  module.def("environment_called", &environment_called, nanobind::arg("name"),
             "The name of the environment that has this name or alias, else None.");
  module.def(
      "algorithms", [] { return names(algorithms()); }, "The names of all algorithms.");
  module.def(
      "policies", [] { return names(policies()); }, "The names of all policies.");
}

}  // namespace retropg::python
