#pragma once

#include <string>

#include "results.hpp"
#include "retropg/experiment/comparison.hpp"

namespace retropg::app {

/// Runs the comparison in its folder, writes tables and figure and prints the result. Returns the exit status.
int report_comparison(const ReadyComparison& ready, const std::string& experiment, const ResultsOptions& options,
                      bool json);

}  // namespace retropg::app
