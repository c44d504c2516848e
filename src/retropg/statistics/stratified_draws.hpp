#pragma once

#include <span>
#include <vector>

#include "retropg/core/random.hpp"
#include "retropg/statistics/bootstrap.hpp"

namespace retropg {

/// Throws Error unless there is a task, and every task has a score and only finite ones.
void require_scores(TaskScores scores);

/// Resamples of an algorithm's runs: each task's runs are drawn with replacement within the task.
class StratifiedDraws {
 public:
  StratifiedDraws(TaskScores scores, Index algorithm, const Bootstrap& bootstrap);

  /// How often each run occurs in a resample; the runs of all tasks are concatenated. Valid until the next call.
  std::span<const double> draw(Index resample);

 private:
  StreamName name_;
  std::vector<Index> sizes_;
  std::vector<double> times_;
};

}  // namespace retropg
