#include "setting_values.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "retropg/configuration/configuration_schema.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

std::string whole_text(nb::handle value) {
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (!whole.is_valid()) throw nb::python_error();
  return nb::cast<std::string>(nb::str(whole));
}

/// The value of a key as Python has it.
struct ToPython {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(const std::vector<double>& numbers) const { return nb::cast(numbers); }
  template <typename Value>
  nb::object operator()(const Value& value) const {
    return nb::cast(value);
  }
};

constexpr int kDeepest = 2;  // lists in lists, which may contain themselves
constexpr std::size_t kLongest = 1'000'000, kLongestQuote = 80;

/// As Python shows it, if it does.
std::string shown(nb::handle value) {
  try {
    return one_line(nb::cast<std::string>(nb::repr(value)), kLongestQuote);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    return one_line(std::string("an object of type ") + nb::type_name(value.type()).c_str(), kLongestQuote);
  }
}

[[noreturn]] void refuse(nb::handle value) {
  throw Error("must be a bool, int, float, str or a sequence of numbers, not " + shown(value));
}

std::string text_of(nb::handle value, int depth) {
  if (PyBool_Check(value.ptr())) return value.is(Py_True) ? "true" : "false";
  if (PyUnicode_Check(value.ptr())) return toml_string(nb::cast<std::string>(value));
  if (PyIndex_Check(value.ptr()) && !PySequence_Check(value.ptr())) return whole_text(value);
  if (PyFloat_Check(value.ptr())) return toml_number(PyFloat_AsDouble(value.ptr()));
  if (PySequence_Check(value.ptr()) && PyBytes_Check(value.ptr()) == 0) {
    if (depth == kDeepest || nb::len(value) > kLongest) refuse(value);
    std::string text;
    for (const nb::handle item : nb::iter(value)) text += (text.empty() ? "" : ", ") + text_of(item, depth + 1);
    return "[" + text + "]";
  }
  if (PyNumber_Check(value.ptr())) return toml_number(nb::cast<double>(nb::float_(value)));
  refuse(value);
}

}  // namespace

std::string toml_text(nb::handle value) {
  try {
    return text_of(value, 0);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    refuse(value);
  } catch (const nb::cast_error&) {  // a text that no file can hold
    refuse(value);
  }
}

SettingsDict as_dict(const Configuration& configuration) {
  SettingsDict result;
  for (const SettingSection& section : configuration_schema()) {
    for (const SettingKey& key : section.keys) {
      const SettingValue value = key.get(configuration);
      result[key.name.c_str()] = value.text.empty() ? nb::none() : std::visit(ToPython(), value.data);
    }
  }
  return result;
}

}  // namespace retropg::python
