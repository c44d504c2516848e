#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace retropg {

/// Runs one task at a time on a thread of its own, or in the caller if that thread cannot be started.
class Background {
 public:
  Background() = default;
  ~Background();  // waits for the task; what it threw is lost
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Waits for the task before it and starts this one.
  void start(std::function<void()> task);
  /// Waits for the task and rethrows what it threw.
  void wait();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;  // empty: nothing to do
  std::exception_ptr thrown_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace retropg
