#pragma once

#include <utility>

#include "retropg/experiment/comparison.hpp"

namespace retropg::test {

/// Runs and analyzes all arms, with or without a store: what a study of one environment without a sweep must give.
inline Comparison run_comparison(const ReadyComparison& ready, const RunProgress& progress = {},
                                 RunStore* store = nullptr) {
  const ComparisonPlan& plan = ready.plan;
  return analyze(ready, run_arms(ready.arms, plan.seeds, shared_seeds(plan.first_seed), plan.threads, progress, store));
}

}  // namespace retropg::test
