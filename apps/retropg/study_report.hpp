#pragma once

#include "results.hpp"
#include "retropg/experiment/study.hpp"

namespace retropg::app {

/// Runs comparisons on several environments, or with settings to pick, in one folder; writes tables and figures and
/// prints the result. Returns the exit status.
int report_study(const ReadyStudy& ready, const ResultsOptions& options, bool json);

}  // namespace retropg::app
