#include "report/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retropg::app {

std::string aligned(const std::vector<Column>& columns) {
  std::vector<std::string> lines(columns.front().cells.size() + 1);
  for (const Column& column : columns) {
    std::size_t width = column.title.size();
    for (const std::string& cell : column.cells) width = std::max(width, cell.size());
    lines[0] += fmt::format("  {:<{}}", column.title, width);
    for (std::size_t row = 0; row < column.cells.size(); ++row) {
      lines[row + 1] += fmt::format("  {:<{}}", column.cells[row], width);
    }
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace retropg::app
