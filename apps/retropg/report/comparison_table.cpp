#include <algorithm>

#include <fmt/format.h>

#include "report/arm_columns.hpp"
#include "report/comparison_output.hpp"

namespace retropg::app {
namespace {

std::string legend(const Comparison& comparison) {
  std::string text = "\n" + arm_columns_note(comparison) + "\n";
  for (const ArmColumnMeaning& column : arm_column_meanings(comparison)) {
    std::string meaning = column.meaning;
    for (std::size_t at = meaning.find('\n'); at != std::string::npos; at = meaning.find('\n', at + 1)) {
      meaning.insert(at + 1, 15, ' ');
    }
    text += fmt::format("  {:<12} {}\n", column.title, meaning);
  }
  return text + "95 % normal intervals are in summary.csv, speed-up intervals by the paper's method in pairs.csv.\n";
}

}  // namespace

std::string format_comparison(const Comparison& comparison) {
  std::vector<std::string> lines(comparison.arms.size() + 1);
  for (const ArmColumn& column : arm_columns(comparison)) {
    std::size_t width = column.title.size();
    for (const std::string& cell : column.cells) width = std::max(width, cell.size());
    lines[0] += fmt::format("  {:<{}}", column.title, width);
    for (std::size_t row = 0; row < column.cells.size(); ++row) {
      lines[row + 1] += fmt::format("  {:<{}}", column.cells[row], width);
    }
  }
  const Index budget = comparison.plan.budget;
  std::string text = comparison.plan.title + "\n";
  if (budget > 0) text += fmt::format("{} collected trajectories per run\n", budget);
  text += "\n";
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + legend(comparison);
}

}  // namespace retropg::app
