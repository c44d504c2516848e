#pragma once

#include <filesystem>
#include <string>

#include "retropg/experiment/table2.hpp"

namespace retropg::app {

/// The table for a terminal.
std::string format_table2(const Table2& table);

/// {"table2a": [...], "table2b": [...], ...} as one JSON object.
std::string table2_json(const Table2& table, const std::filesystem::path& folder);

/// Writes curves.csv, table2a.csv and table2b.csv into an existing folder, and draws the figure. If it cannot
/// be drawn, returns false and sets `problem` to one line.
bool write_table2(const Table2& table, const std::filesystem::path& folder, std::string* problem);

}  // namespace retropg::app
