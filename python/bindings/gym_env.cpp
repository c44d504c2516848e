#include "gym_env.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include "interpreter.hpp"
#include "interrupts.hpp"
#include "retropg/core/error.hpp"
#include "retropg/environment/environment.hpp"

namespace nb = nanobind;

namespace retropg::python {
namespace {

/// A buffer of C-contiguous numbers; empty if the object has none.
class Buffer {
 public:
  explicit Buffer(nb::handle object)
      : has_it_(PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0) {
    if (!has_it_) PyErr_Clear();
  }
  ~Buffer() {
    if (has_it_) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  bool holds(std::string_view format) const { return has_it_ && view_.format != nullptr && format == view_.format; }
  bool has_shape(const std::vector<Index>& shape) const {
    return std::ranges::equal(std::span(view_.shape, static_cast<std::size_t>(view_.ndim)), shape);
  }
  template <typename Number>
  void copy(Index count, Strided<double> to) const {
    const auto* numbers = static_cast<const Number*>(view_.buf);
    for (Index i = 0; i < count; ++i) to[i] = static_cast<double>(numbers[i]);
  }

 private:
  Py_buffer view_{};
  bool has_it_;
};

// Kinds of NumPy's types.
constexpr std::string_view kNumbers = "fiub", kWholeNumbers = "iub";

nb::object stolen(PyObject* result) {
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

/// What a method of an environment returned. Ctrl-C stops what is done in order.
nb::object returned(PyObject* result) {
  if (result == nullptr) throw_interrupted_or_error(nb::python_error());
  nb::object object = nb::steal(result);
  stop_if_interrupted();
  return object;
}

/// The name of a method, made once and kept for good.
PyObject* interned(const char* text) {
  PyObject* name = PyUnicode_InternFromString(text);
  if (name == nullptr) throw nb::python_error();
  return name;
}

std::string kind_of(nb::handle value) {
  return nb::cast<std::string>(nb::type_name(value.type()));
}

std::string shape_text(nb::handle shape) {
  return nb::cast<std::string>(nb::str(shape));
}

std::string shape_text(const std::vector<Index>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

void throw_interrupted_or_error(nb::python_error&& error) {
  if (!error.matches(PyExc_KeyboardInterrupt)) throw nb::python_error(std::move(error));
  if (RunInterrupts* const run = RunInterrupts::current()) {
    run->keep(std::move(error));
  } else {
    PyErr_SetInterrupt();  // raised again when everything is in order
  }
  throw Interrupted();
}

void stop_if_interrupted() {
  RunInterrupts* const run = RunInterrupts::current();
  if (python_ends() || (run != nullptr && run->pending_with_lock())) throw Interrupted();
}

GymEnv::GymEnv(std::shared_ptr<const GymSpaces> spaces, nb::object env)
    : spaces_(std::move(spaces)), env_(std::move(env)) {}

void GymEnv::refuse(const std::string& what) const {
  throw RunError(age_ == 0
                     ? fmt::format("{}: reset(seed={}) returned {}", spaces_->name, seed_, what)
                     : fmt::format("{}: step {} after reset(seed={}) returned {}", spaces_->name, age_, seed_, what));
}

void GymEnv::reset(Index seed, Strided<double> observation) {
  static PyObject* const method = interned("reset");
  static PyObject* const keywords = stolen(PyTuple_Pack(1, interned("seed"))).release().ptr();
  seed_ = seed;
  age_ = 0;
  const nb::object number = stolen(PyLong_FromLongLong(seed));
  const std::array<PyObject*, 2> arguments = {env_.ptr(), number.ptr()};
  const nb::object result = returned(PyObject_VectorcallMethod(method, arguments.data(), 1, keywords));
  if (!PyTuple_Check(result.ptr()) || PyTuple_GET_SIZE(result.ptr()) != 2) {
    refuse(fmt::format("{}; expected the tuple (observation, info)", kind_of(result)));
  }
  read_observation(PyTuple_GET_ITEM(result.ptr(), 0), observation);
}

GymEnv::Outcome GymEnv::step(Strided<const double> numbers, Strided<double> observation) {
  static PyObject* const method = interned("step");
  ++age_;
  const nb::object chosen = action(numbers);
  const std::array<PyObject*, 2> arguments = {env_.ptr(), chosen.ptr()};
  const nb::object result = returned(PyObject_VectorcallMethod(method, arguments.data(), 2, nullptr));
  if (!PyTuple_Check(result.ptr()) || PyTuple_GET_SIZE(result.ptr()) != 5) {
    const bool tuple = PyTuple_Check(result.ptr());
    refuse(fmt::format("{}; expected the tuple (observation, reward, terminated, truncated, info)",
                       tuple ? fmt::format("{} values", PyTuple_GET_SIZE(result.ptr())) : kind_of(result)));
  }
  PyObject* const* const values = &PyTuple_GET_ITEM(result.ptr(), 0);
  read_observation(values[0], observation);
  const bool terminated = read_flag(values[2], "terminated"), truncated = read_flag(values[3], "truncated");
  return {.reward = read_reward(values[1]),
          .ended = terminated  ? LaneStep::kTerminated
                   : truncated ? LaneStep::kTruncated
                               : LaneStep::kRunning};
}

nb::object GymEnv::action(Strided<const double> numbers) const {
  static PyObject* const astype = interned("astype");
  const GymSpaces& spaces = *spaces_;
  if (spaces.discrete()) return spaces.choices[static_cast<std::size_t>(numbers[0])];
  for (Index u = 0; u < spaces.action_size; ++u) {
    const double clipped = std::clamp(numbers[u], spaces.low[as_size(u)], spaces.high[as_size(u)]);
    spaces.scratch_numbers[u] = spaces.whole ? std::nearbyint(clipped) : clipped;
  }
  const std::array<PyObject*, 2> arguments = {spaces.scratch.ptr(), spaces.dtype.ptr()};
  return stolen(PyObject_VectorcallMethod(astype, arguments.data(), 2, nullptr));
}

void GymEnv::read_observation(nb::handle value, Strided<double> observation) const {
  const Buffer buffer(value);
  const bool singles = buffer.holds("f"), doubles = buffer.holds("d");
  if ((!singles && !doubles) || !buffer.has_shape(spaces_->observation_shape)) {
    read_array(value, observation);
  } else if (singles) {
    buffer.copy<float>(spaces_->observation_size, observation);
  } else {
    buffer.copy<double>(spaces_->observation_size, observation);
  }
}

/// Whatever NumPy makes an array of the right shape of.
void GymEnv::read_array(nb::handle value, Strided<double> observation) const {
  const nb::module_ numpy = nb::module_::import_("numpy");
  std::optional<nb::object> array;
  try {
    const nb::object given = numpy.attr("asarray")(value);
    const std::string kind = nb::cast<std::string>(given.attr("dtype").attr("kind"));
    if (kNumbers.find(kind) != std::string_view::npos) {
      array = numpy.attr("array")(given, nb::arg("dtype") = "float64", nb::arg("order") = "C");
    }
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
  }
  const std::string expected = "expected numbers of shape " + shape_text(spaces_->observation_shape);
  if (!array) refuse(fmt::format("an observation of type {}; {}", kind_of(value), expected));
  const Buffer buffer(*array);
  if (!buffer.has_shape(spaces_->observation_shape)) {
    refuse(fmt::format("an observation of shape {}; {}", shape_text(array->attr("shape")), expected));
  }
  buffer.copy<double>(spaces_->observation_size, observation);
}

double GymEnv::read_reward(nb::handle value) const {
  const double reward = PyFloat_AsDouble(value.ptr());
  if (reward == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(fmt::format("a reward of type {}; expected a number", kind_of(value)));
  }
  return reward;
}

bool GymEnv::read_flag(nb::handle value, const char* what) const {
  if (value.ptr() == Py_False || value.ptr() == Py_True) return value.ptr() == Py_True;
  const nb::object array = nb::module_::import_("numpy").attr("asarray")(value);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (kWholeNumbers.find(kind) == std::string_view::npos || nb::cast<Index>(array.attr("size")) != 1) {
    refuse(fmt::format("{} of type {}; expected True or False", what, kind_of(value)));
  }
  return nb::cast<bool>(array.attr("any")().attr("__bool__")());
}

}  // namespace retropg::python
