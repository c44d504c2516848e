#pragma once

#include <string>
#include <vector>

#include "retropg/experiment/arm.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {

/// An arm of an experiment on disk.
struct StoredArm {
  Arm arm;
  std::vector<std::filesystem::path> done;  // the folders of the runs that are done, by seed
  Index not_done = 0;                       // number of those under way, stopped or failed
};

struct StoredExperiment {
  std::string title;
  std::vector<StoredArm> arms;
};

/// Reads a results folder: its plan.toml, and which of its runs are done. Throws Error if the plan is missing or
/// damaged.
StoredExperiment read_experiment(const std::filesystem::path& folder);

}  // namespace retropg
