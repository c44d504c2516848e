#pragma once

#include <string_view>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// The cells of a line of progress.csv, none of which has quotes.
std::vector<std::string_view> cells_of(std::string_view line);

// Each throws Error unless the whole cell is such a number.

double number_in(std::string_view cell);
Index whole_number_in(std::string_view cell);

}  // namespace retropg
