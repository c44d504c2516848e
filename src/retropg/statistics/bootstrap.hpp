#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg {

/// The scores of one algorithm, a list of runs for each task: the strata of the bootstrap. One environment is one task.
using TaskScores = std::span<const std::vector<double>>;

/// Mean of the middle half (Agarwal et al. 2021): of the sorted x_1 ... x_n, x_i has the weight with which [i - 1, i]
/// lies in [n / 4, 3 n / 4]; the values at the edges count in part.
double interquartile_mean(std::span<const double> values);

/// P(X > Y) = mean over tasks of (number of pairs of runs with x > y, ties half) / (number of pairs).
double probability_of_improvement(TaskScores x, TaskScores y);

/// Percentile intervals over resamples in which every task's runs are drawn with replacement from its own. The draws of
/// an algorithm are named by (seed, resample, `algorithm`): equal names give equal draws whatever else is computed, so
/// that the interval of P(Y > X) is 1 minus that of P(X > Y).
struct Bootstrap {
  std::uint64_t seed = 1;
  Index resamples = 2000;
  double level = 0.95;
};
Interval interquartile_mean_interval(TaskScores scores, Index algorithm, const Bootstrap& bootstrap);
Interval improvement_interval(TaskScores x, Index x_algorithm, TaskScores y, Index y_algorithm,
                              const Bootstrap& bootstrap);

}  // namespace retropg
