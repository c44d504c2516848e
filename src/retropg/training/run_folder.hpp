#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "retropg/training/configuration.hpp"
#include "retropg/training/train.hpp"

namespace retropg {

/// runs/<env>__<algo>__<seed>__<utc>: where a run goes that was not told.
std::filesystem::path default_run_folder(const Configuration& configuration);

/// Throws Error if the folder exists or cannot be made, without making it.
void check_run_folder(const std::filesystem::path& path);

/// A run on disk. What the seed determines goes to progress.csv and metrics.jsonl, one line an iteration; clocks, hosts
/// and versions only to timing.jsonl and provenance.json.
class RunFolder {
 public:
  /// Creates the folder with config.toml, command.txt and provenance.json.
  RunFolder(std::filesystem::path path, const Configuration& configuration, const std::string& command);
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
  std::unique_ptr<Files> files_;
};

}  // namespace retropg
