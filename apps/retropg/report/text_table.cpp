#include "report/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retropg::app {
namespace {

std::size_t width_of(const Column& column) {
  std::size_t width = column.title.size();
  for (const std::string& cell : column.cells) width = std::max(width, cell.size());
  return width + 2;  // and the space before it
}

std::string block(const std::vector<const Column*>& columns) {
  std::vector<std::string> lines(columns.front()->cells.size() + 1);
  for (const Column* column : columns) {
    const std::size_t width = width_of(*column) - 2;
    lines[0] += fmt::format("  {:<{}}", column->title, width);
    for (std::size_t row = 0; row < column->cells.size(); ++row) {
      lines[row + 1] += fmt::format("  {:<{}}", column->cells[row], width);
    }
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string aligned(const std::vector<Column>& columns, std::size_t width) {
  std::string text;
  std::vector<const Column*> fitting = {&columns.front()};
  std::size_t used = width_of(columns.front());
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const std::size_t more = width_of(columns[i]);
    if (fitting.size() > 1 && used + more > width) {
      text += block(fitting) + "\n";
      fitting = {&columns.front()};
      used = width_of(columns.front());
    }
    fitting.push_back(&columns[i]);
    used += more;
  }
  return text + block(fitting);
}

}  // namespace retropg::app
