#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg {

/// The scores of one algorithm: a list of runs for each task. Tasks are the strata of the bootstrap; one environment is
/// one task.
using TaskScores = std::span<const std::vector<double>>;

/// (value - zero) / (one - zero), so that the scores of tasks with different returns can be put together.
std::vector<double> normalized(std::span<const double> values, double zero, double one);

/// Mean of the middle half (Agarwal et al. 2021): the weight of x_i in the sorted x_1, ..., x_n is the length of the
/// part of [i - 1, i] inside [n / 4, 3 n / 4], so that values at the edges count partially.
double interquartile_mean(std::span<const double> values);

/// The same over the runs of all tasks together: a run of a task counts as much as one of another.
double aggregate_interquartile_mean(TaskScores scores);

/// P(X > Y): the mean over tasks of (pairs of runs with x > y, ties count half) / (all pairs).
double probability_of_improvement(TaskScores x, TaskScores y);

/// Percentile intervals over resamples; each task's runs are resampled with replacement within the task. The draws of
/// an algorithm depend only on (seed, resample, `algorithm`), so that the interval of P(Y > X) is 1 minus that of P(X >
/// Y).
struct Bootstrap {
  std::uint64_t seed = 1;
  Index resamples = 2000;
  double level = 0.95;
};
Interval interquartile_mean_interval(TaskScores scores, Index algorithm, const Bootstrap& bootstrap);
Interval improvement_interval(TaskScores x, Index x_algorithm, TaskScores y, Index y_algorithm,
                              const Bootstrap& bootstrap);

}  // namespace retropg
