#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "retropg/experiment/experiment.hpp"

namespace retropg::app {

/// "RPG, N = 5: 20 % of the paper's trajectories per run ..." in one line: which part of the paper was run.
std::string part_of_paper(const ExperimentResult& result);

/// Tables and verdicts for a terminal.
std::string format_experiment(const ExperimentResult& result);

/// The comparison with run times and `claims`; with a folder also its name and timings.
nlohmann::ordered_json experiment_json(const ExperimentResult& result, const std::filesystem::path& folder);

/// Writes the tables described in docs/files.md into an existing folder and draws the figures. If a figure cannot be
/// drawn, returns false and sets `problem` to one line.
bool write_experiment(const ExperimentResult& result, const std::filesystem::path& folder, std::string* problem);

/// The stem of a figure's files: "figure" or "figure-NAME".
std::string figure_stem(const FigurePlan& figure);

/// How many claims have each verdict, in one sentence.
std::string verdict_counts(const ExperimentResult& result);

}  // namespace retropg::app
