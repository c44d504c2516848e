#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/storage/findings.hpp"

namespace retropg {

enum class RunState { kRunning, kKilled, kDone, kInterrupted, kFailed, kUnknown };
std::string name_of(RunState state);

/// What a run folder holds, and what can be done with it.
struct Examination {
  std::filesystem::path folder;
  std::vector<Finding> findings{};
  RunState state = RunState::kUnknown;
  std::string reason{};                 // of the interruption or the failure
  std::optional<Index> resume_after{};  // the iteration after which the run would go on; unset: it cannot
  std::string refusal{};                // why it cannot, and what to do; empty if it can
  std::filesystem::path evaluate{};     // what `retropg eval` can be given; empty: no policy is whole
  bool in_python = false;               // its environment comes from Python: the run goes on there

  /// Nothing is damaged, and the run can go on or need not.
  bool well() const;
};

/// Whether a folder looks like that of a run, whole or not.
bool is_run_folder(const Place& path);

/// Verifies every file of a run folder and finds out what `resume_run` would do, without changing anything.
Examination examine_run(const Place& path);

}  // namespace retropg
