#pragma once

#include <unistd.h>

#include <cxxabi.h>
#include <nanobind/nanobind.h>

namespace retropg::python {

// When Python ends, a thread that asks for the lock of the interpreter never gets it: before 3.14 it is unwound, which
// ends the process where C++ is on the stack. So work that is under way in daemon threads is ended first (`end_work`),
// and whoever asks too late waits here until the process is gone.

/// What the call returns, unless Python wants to unwind this thread.
template <typename Call>
decltype(auto) held(const Call& call) {
  try {
    return call();
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();
  }
}

/// Gives the lock up while C++ works. Throws Error in a thread that begins something when Python ends.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

/// Has the lock, for a call of Python in between.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

template <typename Call>
decltype(auto) with_python(const Call& call) {
  const Locked lock;
  return held(call);
}

/// Whether Python ends, so that this thread should not go on with what it does.
bool python_ends();

}  // namespace retropg::python
