#pragma once

#include <optional>
#include <string>

#include "retropg/experiment/comparison.hpp"
#include "retropg/experiment/resolve.hpp"

namespace retropg {

/// What a user asks of a comparison on one environment, besides settings.
struct ComparisonRequest {
  std::string algos = "all";  // see parse_arm_list
  Index seeds = 10;
  std::optional<Index> budget{};  // unset: the file's
  Index threads = 1;
  std::optional<std::string> reference{};  // by any name of its algorithm
  std::optional<double> threshold{};
};

/// The plan, with arms that have the presets of their algorithms. Throws Error if something is wrong with a setting or
/// an arm, or without a budget.
ComparisonPlan comparison_plan(const Given& given, const ComparisonRequest& request);

}  // namespace retropg
