#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
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

}  // namespace

void bind_lists(nanobind::module_& module) {
  module.def("version", &version, "The version of retropg.");
  module.def("mujoco_version", &mujoco_version, "The version of MuJoCo, or an empty string without it.");
  module.def("environments", [] { return names(environments()); }, "The names of all environments.");
  module.def("algorithms", [] { return names(algorithms()); }, "The names of all algorithms.");
  module.def("policies", [] { return names(policies()); }, "The names of all policies.");
}

}  // namespace retropg::python
