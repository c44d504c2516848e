#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "retropg/experiment/keep.hpp"
#include "retropg/experiment/study.hpp"

namespace retropg::app {

/// The tables for a terminal of a width: one comparison per environment with the settings that were tried, then the
/// aggregate.
std::string format_study(const Study& study, std::size_t width);

/// "12 runs, 0.3 million steps in 1.20 s on 2 threads.", runs for picking included.
std::string cost_text(const Study& study);

/// Everything except the curves. With a folder it also has timings and the folder's name.
nlohmann::ordered_json study_json(const Study& study, const std::filesystem::path& folder = {});

/// Where the files of each comparison go.
std::vector<Place> task_folders(const Study& study, const Place& folder);

/// Writes the tables described in docs/files.md into an existing folder, and draws the figures. Several environments
/// have a folder each. Returns false and sets `problem` to one line if a figure cannot be drawn.
bool write_study(const Study& study, const Place& folder, const Keep& keep, std::string* problem);

}  // namespace retropg::app
