#include "results.hpp"

#include <fmt/format.h>

#include "interrupt.hpp"
#include "progress.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/output_folder.hpp"
#include "say.hpp"

namespace retropg::app {

std::filesystem::path results_folder(const std::optional<std::string>& out, const std::string& name) {
  const std::filesystem::path folder = out ? std::filesystem::path(*out) : std::filesystem::path("results") / name;
  check_output_folder(folder);
  return folder;
}

ResultsFolder::ResultsFolder(std::filesystem::path path) : path_(std::move(path)) {
  watch_for_signals();  // from here on the folder must be filled or deleted
  std::error_code problem;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), problem);
  // The folder must be new: the destructor deletes it with its contents.
  const bool made = !problem && std::filesystem::create_directory(path_, problem);
  require(made, fmt::format("--out {}: cannot create the folder: {}", path_.string(),
                            problem ? problem.message() : "it already exists"));
}

ResultsFolder::~ResultsFolder() {
  std::error_code ignored;
  if (!kept_) std::filesystem::remove_all(path_, ignored);
}

int run_watched(const std::function<void(const RunProgress&)>& work) {
  watch_for_signals();
  Progress progress;
  Index runs_done = 0, runs = 0;
  try {
    work([&](Index done, Index total) {
      runs_done = done;
      runs = total;
      if (progress.due(done, total)) progress.show(done, total, fmt::format("{} of {} runs", done, total));
      return interrupt_status() == 0;
    });
  } catch (const RunError&) {
    if (interrupt_status() == 0) throw;
    progress.finish();
    say(fmt::format("interrupted after {} of {} runs; nothing was written", runs_done, runs));
    return interrupt_status();
  }
  progress.finish();
  return 0;
}

}  // namespace retropg::app
