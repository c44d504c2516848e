#pragma once

#include <string>
#include <vector>

#include "results.hpp"
#include "retropg/experiment/experiment.hpp"

namespace retropg::app {

/// Several experiments that are run one after the other.
struct ExperimentSeries {
  std::vector<ReadyExperiment> experiments;  // with different names
  std::vector<std::string> left_out{};       // those that cannot be run, one line each
};

/// Runs each experiment in the folder NAME of `options.out`, as if it was run alone, and writes a page about all of
/// them after each. Started again with the same folder, it runs only what is missing. Returns the exit status.
int report_series(const ExperimentSeries& series, ResultsOptions options, bool json);

}  // namespace retropg::app
