#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "retropg/experiment/comparison.hpp"
#include "retropg/experiment/keep.hpp"

namespace retropg::app {

/// The table for a terminal of a width, sorted by area.
std::string comparison_table(const Comparison& comparison, std::size_t width);

/// What the columns and intervals of the table are.
std::string comparison_legend(const Comparison& comparison);

/// Both.
std::string format_comparison(const Comparison& comparison, std::size_t width);

/// Everything except the curves as one JSON object. With a folder it also has timings and the folder's name; without,
/// it depends on the plan only.
nlohmann::ordered_json comparison_json(const Comparison& comparison, const std::filesystem::path& folder = {});

/// Writes the tables described in docs/files.md into an existing folder; runs.csv only if the runs do not keep the same
/// curves.
void write_comparison(const Comparison& comparison, const Place& folder, const Keep& keep);

/// Draws all arms in one figure, folder/figure.*. Returns false and sets `problem` to one line if it cannot.
bool draw_comparison(const Comparison& comparison, const Place& folder, std::string* problem);

}  // namespace retropg::app
