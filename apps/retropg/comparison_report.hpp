#pragma once

#include <string>

#include "results.hpp"
#include "retropg/experiment/experiment.hpp"

namespace retropg::app {

/// Runs the comparison in its folder, writes tables and figure and prints the result. Returns the exit status.
int report_comparison(const ReadyComparison& ready, const std::string& experiment, const ResultsOptions& options,
                      bool json);

/// The same for an experiment, with its claims.
int report_experiment(const ReadyExperiment& ready, const ResultsOptions& options, bool json);

}  // namespace retropg::app
