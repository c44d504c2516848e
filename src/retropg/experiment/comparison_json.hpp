#pragma once

#include <string>

#include "retropg/experiment/comparison.hpp"

namespace retropg {

/// Everything except the curves as the text of one JSON object. Without clocks it depends on the plan only.
std::string comparison_json(const Comparison& comparison, bool clocks);

}  // namespace retropg
