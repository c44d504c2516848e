#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "retropg/experiment/run_batch.hpp"

namespace retropg::app {

/// `out`, or else results/NAME__UTC. Throws Error if it exists or cannot be made, without making it.
std::filesystem::path results_folder(const std::optional<std::string>& out, const std::string& name);

/// A folder that is made now, so that a place that cannot be written is known before the work, and goes with the object
/// unless it is kept.
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

/// Calls work(progress) with a progress line on stderr and signals watched: the exit status of the signal that ended
/// it, or 0, also where a signal came after the last run. Nothing should be written before it returns 0.
int run_watched(const std::function<void(const RunProgress&)>& work);

}  // namespace retropg::app
