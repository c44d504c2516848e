#include "retropg/parallel/background.hpp"

#include <system_error>
#include <utility>

namespace retropg {

Background::~Background() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::start(std::function<void()> task) {
  wait();
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    task();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
  }
  changed_.notify_all();
}

void Background::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return task_ == nullptr; });
  if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr)) std::rethrow_exception(thrown);
}

void Background::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || task_ != nullptr; });
    if (task_ == nullptr) return;
    lock.unlock();
    try {
      task_();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    lock.lock();
    task_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace retropg
