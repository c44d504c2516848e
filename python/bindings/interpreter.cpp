#include "interpreter.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings.hpp"
#include "retropg/core/error.hpp"

namespace nb = nanobind;

namespace retropg::python {
namespace {

constexpr std::chrono::seconds kPatience{3};  // with what Python code does in between, which may wait for ever

std::atomic<bool> ends = false;
std::atomic<std::thread::id> main_thread{};
std::atomic<int> working = 0, in_python = 0;  // threads without the lock, and those of them that call Python

/// Asks all work of other threads to end, and waits until it has: a run ends after its iteration, with a checkpoint.
void end_work() {
  using Clock = std::chrono::steady_clock;
  main_thread = std::this_thread::get_id();
  ends = true;
  PyThreadState* const state = PyEval_SaveThread();
  const Clock::time_point patience = Clock::now() + kPatience;
  while (working > 0 && (Clock::now() < patience || in_python < working)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  PyEval_RestoreThread(state);
}

}  // namespace

bool python_ends() {
  return ends && main_thread.load() != std::this_thread::get_id();
}

Unlocked::Unlocked() {
  require(!python_ends(), "Python ends: nothing new is begun in another thread");
  ++working;
  state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  held([this] { PyEval_RestoreThread(state_); });
  --working;
}

Locked::Locked() : state_(held([] { return PyGILState_Ensure(); })) {
  ++in_python;
}

Locked::~Locked() {
  --in_python;
  PyGILState_Release(state_);
}

void bind_interpreter(nb::module_& module) {
  module.def("end_work", &end_work, "Ends what other threads do, before Python ends.");
}

}  // namespace retropg::python
