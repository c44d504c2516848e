#pragma once

#include <string>

#include "retropg/experiment/comparison.hpp"

namespace retropg {

/// Parses the built-in files experiments/NAME/{base,experiment}.toml:
///   title = "All methods on Cart Pole"
///   seeds = 10
///   budget = 10000
///   reference = "gpomdp"              # optional
///   threshold = 190                   # optional
///   [[arm]]
///   label = "rpg"
///   settings = ["algo.name=rpg"]
///   area = 151.6                      # optional: result of another implementation
ComparisonPlan comparison_plan(const std::string& name);

/// The same from the texts of both files; errors refer to the base as `base_name`.
ComparisonPlan parse_comparison(const std::string& experiment, const std::string& base, const std::string& base_name);

}  // namespace retropg
