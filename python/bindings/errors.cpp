#include "bindings.hpp"
#include "retropg/core/error.hpp"

namespace retropg::python {

void bind_errors(nanobind::module_& module) {
  const auto error = nanobind::exception<Error>(module, "Error", PyExc_ValueError);
  nanobind::exception<RunError>(module, "RunError", error.ptr());
}

}  // namespace retropg::python
