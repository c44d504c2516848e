#include <new>
#include <regex>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

PyObject* error_type = nullptr;
PyObject* run_error_type = nullptr;

constexpr std::size_t kLongestMessage = 1000;  // where it quotes too much

/// The library names the flags of the program; here they are arguments: "--out" becomes "out=".
std::string with_arguments(const std::string& message) {
  static const std::regex flags("--(algos|budget|env|iterations|out|steps|threads)\\b");
  return std::regex_replace(one_line(message, kLongestMessage), flags, "$1=");
}

/// Also if there are bytes in it that are no text, from a file or its name.
void raise(PyObject* type, const std::string& message) {
  const std::string line = with_arguments(message);
  const nb::object text = nb::steal(PyUnicode_DecodeUTF8(line.data(), static_cast<Py_ssize_t>(line.size()), "replace"));
  PyErr_SetObject(type, text.ptr());
}

void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const RunError& error) {
    raise(run_error_type, error.what());
  } catch (const Error& error) {
    raise(error_type, error.what());
  } catch (const std::bad_alloc&) {
    raise(error_type, "this takes more memory than there is");
  } catch (const std::length_error&) {
    raise(error_type, "this takes more memory than there is");
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  error_type = nb::exception<Error>(module, "Error", PyExc_ValueError).ptr();
  run_error_type = nb::exception<RunError>(module, "RunError", error_type).ptr();
  nb::register_exception_translator(translate);  // before those of the two classes
}

}  // namespace retropg::python
