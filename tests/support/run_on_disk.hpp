#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "retropg/storage/output_folder.hpp"
#include "retropg/storage/run_folder.hpp"
#include "support/session.hpp"

namespace retropg::test {

enum class Ending { kDone, kKilled, kInterrupted, kFailed };

/// Trains and writes a run as the program does, up to an iteration or to the end. If it is killed, the files are what
/// was written by then, with all lines.
inline void write_run(const std::filesystem::path& path, const std::vector<std::string>& settings,
                      Ending ending = Ending::kDone, Index until = -1) {
  TrainingRun run(configured(settings));
  make_output_folder(path);
  RunFolder folder(path, run, "retropg train", [](const std::string& line) { ADD_FAILURE() << line; });
  const RunResult result = run.train([&](const IterationRecord& record) {
    folder.record(record);
    return record.iteration != until;
  });
  if (ending == Ending::kDone) folder.finish(result);
  if (ending == Ending::kInterrupted) folder.finish(result, "SIGINT");
  if (ending == Ending::kFailed) folder.fail(RunError("the disk is full"));
}

}  // namespace retropg::test
