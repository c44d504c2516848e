#pragma once

#include <filesystem>
#include <vector>

#include "retropg/storage/examination.hpp"

namespace retropg {

/// What a folder of many runs holds.
struct ResultsExamination {
  std::filesystem::path folder;
  std::vector<Examination> runs{};                         // those with folders, in their order
  std::vector<Finding> findings{};                         // about the folder itself
  Index done = 0, under_way = 0, failed = 0, damaged = 0;  // of the runs, each counted once

  bool well() const;
  /// The number of runs, also of those of which only the curve is kept.
  Index count() const { return done + under_way + failed + damaged; }
};

/// Whether a folder looks like that of `retropg compare` or `retropg reproduce`.
bool is_results_folder(const Place& path);

/// Examines every run folder, and every file with the curve of a run, below runs/, one after another.
ResultsExamination examine_results(const Place& path);

}  // namespace retropg
