#pragma once

#include "results.hpp"
#include "retropg/experiment/study.hpp"

namespace retropg::app {

/// Runs comparisons on one or more environments, each arm with one or more settings, in one folder; says the notes
/// before the runs, writes tables and figures, and prints the result. Returns the exit status.
int report_study(const ReadyStudy& ready, const ResultsOptions& options, const std::vector<std::string>& notes,
                 bool json);

}  // namespace retropg::app
