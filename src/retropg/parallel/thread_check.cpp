#include "retropg/parallel/thread_check.hpp"

#include <pthread.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <semaphore>
#include <vector>

#include <fmt/format.h>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

constexpr std::size_t kMargin = std::size_t{1}
                                << 20;  // bytes per thread, for what a worker allocates besides its stack

struct Trial {
  std::mutex gate;
  std::binary_semaphore arrived{0};
};

/// Allocates, because the C library reserves address space when a thread does so first, and waits for the gate to open.
void* live(void* argument) {
  auto& trial = *static_cast<Trial*>(argument);
  ::operator delete(::operator new(1, std::nothrow));
  trial.arrived.release();
  const std::lock_guard wait(trial.gate);
  return nullptr;
}

/// Has that many threads at the same time, and ends them. Returns 0 or an errno value.
int try_threads(Index count, std::size_t stack_bytes) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes); error != 0) return error;
  int error = pthread_attr_setstacksize(&attributes, stack_bytes);
  std::vector<pthread_t> threads;
  threads.reserve(as_size(count));
  Trial trial;
  std::unique_lock closed(trial.gate);
  while (error == 0 && std::ssize(threads) < count) {
    pthread_t thread{};
    error = pthread_create(&thread, &attributes, live, &trial);
    if (error != 0) break;
    threads.push_back(thread);
    trial.arrived.acquire();
  }
  closed.unlock();
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace

void require_threads(Index threads, std::size_t stack_bytes) {
  static std::atomic<Index> known = 1;  // once started, they may be there still and must not be counted twice
  if (threads <= known) return;
  // Twice, because address space that was reserved for a thread outlives it and is missing the next time.
  for (int round = 0; round < 2; ++round) {
    const int error = try_threads(threads - 1, stack_bytes + kMargin);
    require(error == 0,
            fmt::format("cannot start {} threads: {}; use fewer with --threads", threads, std::strerror(error)));
  }
  known = threads;
}

}  // namespace retropg
