#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "retropg/configuration/configuration.hpp"
#include "retropg/configuration/train.hpp"

namespace retropg {

/// The default folder of a run: runs/<env>__<algo>__<seed>__<utc>.
std::filesystem::path default_run_folder(const Configuration& configuration);

/// A run on disk. Results that the seed determines go to progress.csv and metrics.jsonl, one line per iteration; times,
/// hosts and versions go only to timing.jsonl and provenance.json.
class RunFolder {
 public:
  /// Creates the folder with config.toml, command.txt and provenance.json.
  RunFolder(std::filesystem::path path, const TrainingRun& run, const std::string& command);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  void record(const IterationRecord& record);
  /// Flushes the lines written so far and adds one to timing.jsonl.
  void flush(const IterationRecord& record);
  /// Writes the policies and the remaining lines.
  void finish(const RunResult& result);

 private:
  struct Files;
  std::filesystem::path path_;
  Configuration configuration_;
  EnvironmentDefinition environment_;
  std::unique_ptr<Files> files_;
};

}  // namespace retropg
