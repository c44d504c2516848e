#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "retropg/configuration/configuration.hpp"
#include "retropg/configuration/train.hpp"

namespace retropg {

/// runs/<env>__<algo>__<seed>__<utc>: the default folder of a run.
std::filesystem::path default_run_folder(const Configuration& configuration);

/// A run on disk. What the seed determines goes to progress.csv and metrics.jsonl, one line an iteration; clocks, hosts
/// and versions only to timing.jsonl and provenance.json.
class RunFolder {
 public:
  /// Creates the folder with config.toml, command.txt and provenance.json.
  RunFolder(std::filesystem::path path, const TrainingRun& run, const std::string& command);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  void record(const IterationRecord& record);
  /// Hands lines written so far to the system and adds one to timing.jsonl.
  void flush(const IterationRecord& record);
  /// Writes the policies and the last lines.
  void finish(const RunResult& result);

 private:
  struct Files;
  std::filesystem::path path_;
  Configuration configuration_;
  EnvironmentDefinition environment_;
  std::unique_ptr<Files> files_;
};

}  // namespace retropg
