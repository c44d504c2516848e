#include <fmt/format.h>

#include "report/arm_columns.hpp"
#include "report/comparison_output.hpp"

namespace retropg::app {

std::string comparison_legend(const Comparison& comparison) {
  std::string text = "\n" + arm_columns_note(comparison) + "\n";
  for (const ArmColumnMeaning& column : arm_column_meanings(comparison)) {
    text += fmt::format("  {:<11}  {}\n", column.title, column.meaning);
  }
  return text + "95 % normal intervals are in summary.csv, speed-up intervals by the paper's method in pairs.csv.\n";
}

std::string comparison_table(const Comparison& comparison, std::size_t width) {
  const Index budget = comparison.plan.budget;
  std::string text = comparison.plan.title + "\n";
  if (budget > 0) text += fmt::format("{} collected trajectories per run\n", budget);
  return text + "\n" + aligned(arm_columns(comparison), width);
}

std::string format_comparison(const Comparison& comparison, std::size_t width) {
  return comparison_table(comparison, width) + comparison_legend(comparison);
}

}  // namespace retropg::app
