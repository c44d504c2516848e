#pragma once

#include <filesystem>
#include <string>

#include "retropg/experiment/comparison.hpp"

namespace retropg::app {

/// The table for a terminal, sorted by area, with a legend that explains the columns and intervals.
std::string format_comparison(const Comparison& comparison);

/// Everything except the curves as one JSON object. With a folder it also has timings and the folder's name; without,
/// it depends on the plan only.
std::string comparison_json(const Comparison& comparison, const std::filesystem::path& folder = {});

/// Writes the tables described in docs/files.md into an existing folder, then draws the figure. If it cannot be
/// drawn, returns false and sets `problem` to one line.
bool write_comparison(const Comparison& comparison, const std::filesystem::path& folder, std::string* problem);

}  // namespace retropg::app
