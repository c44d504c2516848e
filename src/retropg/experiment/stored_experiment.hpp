#pragma once

#include <string>
#include <vector>

#include "retropg/experiment/arm.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {

/// An arm of an experiment on disk.
struct StoredArm {
  Arm arm;
  std::vector<Place> done;  // the runs that are done, by seed: folders, or files with --keep curves
  Index not_done = 0;       // number of those under way, stopped or failed
};

struct StoredExperiment {
  std::string title;
  std::vector<StoredArm> arms;
};

/// Reads a results folder: its plan.toml, and which of its runs are done. Runs for picking settings of a sweep do not
/// count, so that only picked settings have runs. Throws Error if the plan is missing or damaged.
StoredExperiment read_experiment(const Place& folder);

}  // namespace retropg
