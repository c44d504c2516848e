#include "interrupt.hpp"

#include <csignal>
#include <cstring>

#include <atomic>

namespace retropg::app {
namespace {

// Any thread may run a handler, and two may do so at once.
std::atomic<int> first_stop = 0;
std::atomic<bool> save = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void mark_stop(int signal) {
  int none = 0;
  first_stop.compare_exchange_strong(none, signal);
}

void mark_save(int) {
  save = true;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void watch_for_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGXCPU}) handle(signal, mark_stop);
  if (!is_ignored(SIGHUP)) handle(SIGHUP, mark_stop);
  handle(SIGUSR1, mark_save);
}

void ignore_signals_of_writes() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) handle(signal, SIG_IGN);
}

int interrupt_status() {
  const int signal = first_stop;
  return signal == 0 ? 0 : 128 + signal;
}

std::string interrupt_name() {
  const int signal = first_stop;
  return signal == 0 ? "" : std::string("SIG") + sigabbrev_np(signal);
}

bool save_requested() {
  return save.exchange(false);
}

}  // namespace retropg::app
