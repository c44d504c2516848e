#pragma once

#include <string>

#include "retropg/experiment/comparison.hpp"

namespace retropg {

/// Reads the comparison experiments/NAME/{base,experiment}.toml:
///   title = "All methods on Cart Pole"
///   seeds = 10
///   budget = 10000
///   reference = "gpomdp"              # optional, as is
///   threshold = 190
///   [[arm]]
///   label = "rpg"
///   settings = ["algo.name=rpg"]
///   area = 151.6                      # optional: what another implementation got
ComparisonPlan comparison_plan(const std::string& name);

/// The same from texts; `base_name` stands for the base's file in errors.
ComparisonPlan parse_comparison(const std::string& experiment, const std::string& base, const std::string& base_name);

}  // namespace retropg
