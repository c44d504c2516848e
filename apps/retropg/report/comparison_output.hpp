#pragma once

#include <filesystem>
#include <string>

#include "retropg/experiment/comparison.hpp"

namespace retropg::app {

/// The table for a terminal, sorted by area, with a legend that says what each interval is.
std::string format_comparison(const Comparison& comparison);

/// Everything but the curves as one JSON object. With a folder it also holds clocks and that folder's name; without, it
/// is determined by the plan.
std::string comparison_json(const Comparison& comparison, const std::filesystem::path& folder = {});

/// Writes the files of docs/files.md into an existing folder and draws figure.png and figure.svg. `command` goes to
/// command.txt. False, and one line in `problem`, if the figure could not be drawn.
bool write_comparison(const Comparison& comparison, const std::filesystem::path& folder, const std::string& command,
                      std::string* problem);

}  // namespace retropg::app
