#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace retropg::python {

/// What Python raised while C++ works without the lock of the interpreter. The work is ended in order; then it is
/// thrown.
class Interrupts {
 public:
  /// Whether Ctrl-C was pressed. Looks at most every 50 ms, and then takes the lock; only in the thread that made this,
  /// because Python runs its handlers of signals in the main thread.
  bool pending() {
    const Clock::time_point now = Clock::now();
    if (raised_ || now < next_ || std::this_thread::get_id() != thread_) return raised_.has_value();
    next_ = now + std::chrono::milliseconds(50);
    return look();
  }
  /// The same without waiting.
  bool look() {
    const nanobind::gil_scoped_acquire lock;
    return pending_with_lock();
  }
  /// The same for a caller that has the lock, at any time.
  bool pending_with_lock() {
    if (!raised_ && PyErr_CheckSignals() != 0) raised_.emplace();
    return raised_.has_value();
  }
  void keep(nanobind::python_error&& error) { raised_.emplace(std::move(error)); }
  bool any() const { return raised_.has_value(); }
  /// "KeyboardInterrupt"; needs the lock.
  std::string name() const { return nanobind::type_name(raised_->type()).c_str(); }
  /// Needs the lock.
  void rethrow() {
    if (raised_) throw nanobind::python_error(std::move(*raised_));
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<nanobind::python_error> raised_;
  std::thread::id thread_ = std::this_thread::get_id();
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(50);
};

}  // namespace retropg::python
