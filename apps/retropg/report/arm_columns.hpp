#pragma once

#include <string>
#include <vector>

#include "report/text_table.hpp"
#include "retropg/experiment/comparison.hpp"

namespace retropg::app {

/// The table of arms, with one row per arm in the order of `Comparison::order`.
std::vector<Column> arm_columns(const Comparison& comparison);

/// What a column means.
struct ArmColumnMeaning {
  std::string title, meaning;
};

std::vector<ArmColumnMeaning> arm_column_meanings(const Comparison& comparison);

/// What holds for all columns, in one line: seeds and intervals.
std::string arm_columns_note(const Comparison& comparison);

}  // namespace retropg::app
