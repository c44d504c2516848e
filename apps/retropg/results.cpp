#include "results.hpp"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "interrupt.hpp"
#include "progress.hpp"
#include "retropg/core/error.hpp"
#include "retropg/training/run_folder.hpp"

namespace retropg::app {

std::filesystem::path results_folder(const std::optional<std::string>& out, const std::string& name) {
  std::filesystem::path folder;
  if (out) {
    folder = *out;
  } else {
    const std::string path = fmt::format("results/{}__{:%Y%m%dT%H%M%SZ}", name, fmt::gmtime(std::time(nullptr)));
    folder = path;
    for (int n = 2; std::filesystem::exists(folder); ++n) folder = fmt::format("{}-{}", path, n);
  }
  check_run_folder(folder);
  return folder;
}

int run_watched(const std::function<void(const RunProgress&)>& work) {
  watch_for_interrupts();
  Progress progress;
  try {
    work([&](Index done, Index total) {
      if (progress.due(done, total)) progress.show(done, total, fmt::format("run {} of {}", done, total));
      return interrupt_status() == 0;
    });
  } catch (const RunError&) {
    if (interrupt_status() == 0) throw;
  }
  progress.finish();
  return interrupt_status();  // it may have come after the last run
}

}  // namespace retropg::app
