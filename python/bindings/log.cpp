#include "log.hpp"

#include "interpreter.hpp"

namespace retropg::python {

namespace {

void log(const char* level, const std::string& line) {
  namespace nb = nanobind;
  if (line.empty()) return;
  with_python([&] {
    try {
      nb::module_::import_("logging").attr("getLogger")("retropg").attr(level)("%s", line.c_str());
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("retropg: a log message");
    }
  });
}

}  // namespace

void log_warning(const std::string& line) {
  log("warning", line);
}

void log_info(const std::string& line) {
  log("info", line);
}

}  // namespace retropg::python
