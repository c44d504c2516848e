#pragma once

#include <string>
#include <vector>

#include "retropg/experiment/comparison.hpp"

namespace retropg::app {

/// A column of the table of arms, with one cell per arm in the order of `Comparison::order`.
struct ArmColumn {
  std::string title;
  std::vector<std::string> cells;
};

std::vector<ArmColumn> arm_columns(const Comparison& comparison);

/// What a column means; line breaks are where a terminal needs them.
struct ArmColumnMeaning {
  std::string title, meaning;
};

std::vector<ArmColumnMeaning> arm_column_meanings(const Comparison& comparison);

/// What holds for all columns, in one line: seeds and intervals.
std::string arm_columns_note(const Comparison& comparison);

}  // namespace retropg::app
