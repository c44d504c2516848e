#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "retropg/experiment/experiment.hpp"
#include "retropg/experiment/keep.hpp"

namespace retropg::app {

/// "RPG, N = 5: 20 % of the paper's trajectories per run ..." in one line: which part of the paper was run.
std::string part_of_paper(const ExperimentResult& result);

/// Tables and verdicts for a terminal of a width.
std::string format_experiment(const ExperimentResult& result, std::size_t width);

/// The comparison with run times and `claims`; with a folder also its name and timings.
nlohmann::ordered_json experiment_json(const ExperimentResult& result, const std::filesystem::path& folder);

/// Writes the tables described in docs/files.md into an existing folder and draws the figures. If a figure cannot be
/// drawn, returns false and sets `problem` to one line.
bool write_experiment(const ExperimentResult& result, const Place& folder, const Keep& keep, std::string* problem);

/// The mean wall time of an arm's runs next to the paper's.
struct RunTime {
  std::string arm;
  double seconds = 0.0, paper = 0.0;
  std::optional<double> factor;  // paper / seconds; none if the runs are shorter than the paper's
};

/// Of every arm whose run time the paper reports.
std::vector<RunTime> run_times(const ExperimentResult& result);

/// The stem of a figure's files: "figure" or "figure-NAME".
std::string figure_stem(const FigurePlan& figure);

}  // namespace retropg::app
