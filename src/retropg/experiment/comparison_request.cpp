#include "retropg/experiment/comparison_request.hpp"

#include <fmt/format.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"

namespace retropg {
namespace {

/// The reference may be given by any name of its algorithm.
std::string reference_name(const std::string& given) {
  const std::string name = given.substr(0, given.find(':'));
  for (const AlgorithmEntry& entry : algorithms()) {
    if (is_called(entry, name)) return entry.name + given.substr(name.size());
  }
  return given;
}

}  // namespace

ComparisonPlan comparison_plan(const Given& given, const ComparisonRequest& request) {
  const Configuration base = resolve_shared(given);
  const Index budget = request.budget.value_or(base.train.budget);
  require(request.budget || budget > 0, "--budget is missing: the number of collected trajectories per run");
  require(budget >= 1, fmt::format("--budget must be at least 1, not {}", budget));
  ComparisonPlan plan{.title = "Comparison on " + base.env.id,
                      .base = base,
                      .arms = parse_arm_list(request.algos),
                      .seeds = request.seeds,
                      .first_seed = base.train.seed,
                      .budget = budget,
                      .threads = request.threads,
                      .reference = reference_name(request.reference.value_or("")),
                      .threshold = request.threshold};
  for (ArmPlan& arm : plan.arms) arm.preset = preset_of_arm(given, arm);
  return plan;
}

}  // namespace retropg
