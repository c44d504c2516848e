#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "retropg/experiment/run_batch.hpp"

namespace retropg::app {

/// `out` if given, otherwise results/NAME__UTC. Throws Error if it exists or cannot be created; does not create it.
std::filesystem::path results_folder(const std::optional<std::string>& out, const std::string& name);

/// Creates the folder early so that errors surface before the work; deleted on destruction unless kept.
class ResultsFolder {
 public:
  explicit ResultsFolder(std::filesystem::path path);
  ~ResultsFolder();
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

/// Calls work(progress) with a progress line on stderr, and stops it on a signal. Returns 0 if all runs
/// finished, otherwise the exit status of the signal. Write results only after it returned 0.
int run_watched(const std::function<void(const RunProgress&)>& work);

}  // namespace retropg::app
