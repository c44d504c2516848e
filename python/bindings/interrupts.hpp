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
  Interrupts() = default;
  virtual ~Interrupts() = default;
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Whether Ctrl-C was pressed, or Python ends. Looks at most every 50 ms, and then takes the lock; only in the thread
  /// that made this, because Python runs its handlers of signals in the main thread.
  bool pending();
  /// The same for a caller that has the lock, at any time.
  bool pending_with_lock();
  /// Takes what Python raised.
  virtual void keep(nanobind::python_error&& error) { raised_.emplace(std::move(error)); }
  virtual bool any() const { return raised_.has_value(); }
  /// What ended the work: SIGINT, the name of an exception, or the end of Python. Needs the lock.
  virtual std::string reason() const;
  /// Needs the lock.
  void rethrow();

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<nanobind::python_error> raised_;
  std::thread::id thread_ = std::this_thread::get_id();
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(50);
};

/// Those of a run, which the first Ctrl-C ends in order, with the run as the result: nothing is raised, neither here
/// nor in the Python code of an environment. A second one raises KeyboardInterrupt, as it does elsewhere. A handler
/// that the caller has installed for SIGINT stays, and what it raises counts instead. Made and destroyed with the lock.
class RunInterrupts final : public Interrupts {
 public:
  RunInterrupts();
  ~RunInterrupts() override;

  void keep(nanobind::python_error&& error) override;
  /// Takes what the caller's own code raised on purpose.
  void raise(nanobind::python_error&& error) { Interrupts::keep(std::move(error)); }
  bool any() const override { return pressed_ || Interrupts::any() || (outer_ != nullptr && outer_->any()); }
  std::string reason() const override;

  /// Of the run that the calling thread is at, else null.
  static RunInterrupts* current();

 private:
  void restore_handler();

  RunInterrupts* outer_;       // of the run in whose callback this one began
  nanobind::object replaced_;  // the handler; invalid if it was left alone
  bool pressed_ = false;
};

}  // namespace retropg::python
