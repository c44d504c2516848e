#include "log.hpp"

#include <nanobind/nanobind.h>

namespace retropg::python {

void log_warning(const std::string& line) {
  namespace nb = nanobind;
  const nb::gil_scoped_acquire lock;
  try {
    nb::module_::import_("logging").attr("getLogger")("retropg").attr("warning")("%s", line.c_str());
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("retropg: a warning");
  }
}

}  // namespace retropg::python
