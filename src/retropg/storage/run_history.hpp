#pragma once

#include <map>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

// Both functions read only whole lines, so the run may be under way. They throw an Error that names the file and the
// line if one is damaged.

/// Columns of progress.csv: one number per iteration.
struct RunHistory {
  std::vector<double> trajectories, return_mean, effective_sample_size, log_divergence_max;
};
RunHistory read_history(const Place& run);

/// The coefficients of past batches in metrics.jsonl by the age of the batch: means over the later half of the
/// iterations, when the window is full. Empty where the rule defines none, and for runs without that file.
struct CoefficientsByAge {
  std::map<Index, double> alpha, lambda;
};
CoefficientsByAge read_coefficients(const Place& run, Index iterations);

/// Whether the run has the file that `read_coefficients` reads.
bool has_metrics(const Place& run);

}  // namespace retropg
