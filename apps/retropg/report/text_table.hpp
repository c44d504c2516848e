#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace retropg::app {

/// A column of a table for a terminal.
struct Column {
  std::string title;
  std::vector<std::string> cells;
};

/// The columns side by side, with their titles in the first line. Columns that do not fit into the width follow below,
/// with the first column again.
std::string aligned(const std::vector<Column>& columns, std::size_t width);

}  // namespace retropg::app
