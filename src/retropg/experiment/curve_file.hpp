#pragma once

#include "retropg/experiment/finished_run.hpp"

namespace retropg {

/// Writes what an experiment needs of a run as a small CSV file: one line per point, collected trajectories and mean
/// return in the shortest form that reads back exactly, after a comment with the number of points, steps and seconds.
void write_curve_file(const std::filesystem::path& path, const FinishedRun& run);

/// Throws an Error that names the file and the line if it is damaged or has lost lines.
FinishedRun read_curve_file(const std::filesystem::path& path);

}  // namespace retropg
