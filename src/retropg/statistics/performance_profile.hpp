#pragma once

#include <span>
#include <vector>

#include "retropg/statistics/bootstrap.hpp"

namespace retropg {

/// How often an algorithm's scores exceed each threshold (Agarwal et al. 2021): the fraction of a task's runs with a
/// score above it, averaged over tasks.
struct PerformanceProfile {
  std::vector<double> threshold;
  std::vector<double> fraction;  // falls from 1 to 0
  std::vector<Interval> band;    // pointwise, by stratified bootstrap
};

/// The thresholds must increase.
PerformanceProfile performance_profile(TaskScores scores, std::span<const double> thresholds, Index algorithm,
                                       const Bootstrap& bootstrap);

}  // namespace retropg
