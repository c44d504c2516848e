#include "interrupts.hpp"

#include <utility>

#include "interpreter.hpp"

namespace nb = nanobind;

namespace retropg::python {
namespace {

thread_local RunInterrupts* innermost = nullptr;

}  // namespace

bool Interrupts::pending() {
  const Clock::time_point now = Clock::now();
  if (any() || python_ends()) return true;
  if (now < next_ || std::this_thread::get_id() != thread_) return false;
  next_ = now + std::chrono::milliseconds(50);
  return with_python([this] { return pending_with_lock(); });
}

bool Interrupts::pending_with_lock() {
  if (std::this_thread::get_id() == thread_ && PyErr_CheckSignals() != 0) keep(nb::python_error());
  return any() || python_ends();
}

std::string Interrupts::reason() const {
  if (!raised_) return "the end of Python";
  const std::string name = nb::type_name(raised_->type()).c_str();
  return name == "KeyboardInterrupt" ? "SIGINT" : name;
}

void Interrupts::rethrow() {
  if (raised_) throw nb::python_error(std::move(*raised_));
}

RunInterrupts::RunInterrupts() : outer_(std::exchange(innermost, this)) {
  const nb::module_ signal = nb::module_::import_("signal");
  const nb::object sigint = signal.attr("SIGINT"), usual = signal.attr("default_int_handler");
  if (!signal.attr("getsignal")(sigint).is(usual)) return;
  const auto note = [this](const nb::args& arguments) {
    if (pressed_) nb::module_::import_("signal").attr("default_int_handler")(*arguments);
    pressed_ = true;
  };
  try {
    signal.attr("signal")(sigint, nb::cpp_function(note));
    replaced_ = usual;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError)) throw;  // not the main thread, which alone sees signals
  }
}

RunInterrupts::~RunInterrupts() {
  innermost = outer_;
  while (replaced_.is_valid()) restore_handler();
}

/// A signal that comes meanwhile makes Python raise instead.
void RunInterrupts::restore_handler() {
  try {
    const nb::module_ signal = nb::module_::import_("signal");
    signal.attr("signal")(signal.attr("SIGINT"), replaced_);
    replaced_.reset();
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) {
      error.discard_as_unraisable("retropg: the handler of Ctrl-C");
      replaced_.reset();
    }
  }
}

void RunInterrupts::keep(nb::python_error&& error) {
  if (!pressed_ && error.matches(PyExc_KeyboardInterrupt)) {
    pressed_ = true;
  } else {
    Interrupts::keep(std::move(error));
  }
}

std::string RunInterrupts::reason() const {
  return Interrupts::any() || !pressed_ ? Interrupts::reason() : "SIGINT";
}

RunInterrupts* RunInterrupts::current() {
  return innermost;
}

}  // namespace retropg::python
