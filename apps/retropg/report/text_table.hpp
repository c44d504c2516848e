#pragma once

#include <string>
#include <vector>

namespace retropg::app {

/// A column of a table for a terminal.
struct Column {
  std::string title;
  std::vector<std::string> cells;
};

/// The columns side by side, with their titles in the first line.
std::string aligned(const std::vector<Column>& columns);

}  // namespace retropg::app
