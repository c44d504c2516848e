#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "results.hpp"
#include "retropg/experiment/experiment.hpp"

namespace retropg::app {

/// An experiment that was run in its folder.
struct ExperimentReport {
  std::filesystem::path folder;
  int status = 0;                            // of the program, if this was all it had to do
  std::optional<ExperimentResult> result{};  // none if a signal stopped it
};

/// Runs the experiment in its folder and writes tables, figures and report.
ExperimentReport run_and_write(const ReadyExperiment& ready, const ResultsOptions& options);

/// Prints the result for a terminal.
void print_report(const ExperimentReport& report);

/// Does both, or prints JSON. Returns the exit status.
int report_experiment(const ReadyExperiment& ready, const ResultsOptions& options, bool json);

}  // namespace retropg::app
