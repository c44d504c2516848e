#pragma once

#include <map>
#include <optional>
#include <string>

#include "retropg/core/types.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

/// Where a log was when a checkpoint was written.
struct LogMark {
  Index iteration = 0;
  double return_mean = 0.0;  // of that iteration
};
using LogMarks = std::map<Index, LogMark>;  // by the log's length in bytes

/// What was found in a log, up to its first problem.
struct LogExamination {
  Index lines = 0;                 // whole ones, without a header
  Index bytes = 0;                 // in the file
  Index iteration = 0, steps = 0;  // of the last line
  std::string problem;             // empty: none
  Index problem_at = 0;            // byte at which its line begins
  bool torn = false;               // the problem is that the last line has no end
};

// Each function reads the file once and throws Error if it cannot.

/// Columns, numbers, iterations 1, 2, 3, ..., and that it agrees with the checkpoints.
LogExamination examine_progress(const Place& file, const LogMarks& marks);

/// One object for every `every` iterations; agrees with the checkpoints.
LogExamination examine_metrics(const Place& file, Index every, const LogMarks& marks);

/// One line for every `every` iterations, and perhaps one for the end of the run, which the checkpoints do not count:
/// `bytes` is without it.
LogExamination examine_evaluations(const Place& file, Index every, const LogMarks& marks);

/// The two lines of the header, and one per trajectory; `steps` is the sum of their lengths.
LogExamination examine_monitor(const Place& file, const LogMarks& marks);

LogExamination examine_timing(const Place& file);

}  // namespace retropg
