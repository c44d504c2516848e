#include <regex>
#include <string>

#include "bindings.hpp"
#include "retropg/core/error.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

PyObject* error_type = nullptr;
PyObject* run_error_type = nullptr;

/// The library names the flags of the program; here they are arguments: "--out" becomes "out=".
std::string with_arguments(const std::string& message) {
  static const std::regex flags("--(algos|budget|env|iterations|out|steps|threads)\\b");
  return std::regex_replace(message, flags, "$1=");
}

void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const RunError& error) {
    PyErr_SetString(run_error_type, with_arguments(error.what()).c_str());
  } catch (const Error& error) {
    PyErr_SetString(error_type, with_arguments(error.what()).c_str());
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  error_type = nb::exception<Error>(module, "Error", PyExc_ValueError).ptr();
  run_error_type = nb::exception<RunError>(module, "RunError", error_type).ptr();
  nb::register_exception_translator(translate);  // before those of the two classes
}

}  // namespace retropg::python
