#pragma once

#include <string>
#include <vector>

#include "retropg/experiment/comparison.hpp"

namespace retropg::test {

/// Arms a, b, ... whose runs are constant at `levels`, one value per run, over 1000 trajectories in batches of 100.
inline Comparison constant_arms(const std::vector<std::vector<double>>& levels,
                                const std::vector<std::string>& labels = {"a", "b", "c", "d"}) {
  ReadyComparison ready{
      .plan = {.title = "t", .base = {}, .arms = {}, .seeds = std::ssize(levels.front()), .budget = 1000},
      .arms = {},
      .references = std::vector<std::size_t>(levels.size(), 0),
      .refusals = {}};
  std::vector<ArmResult> results;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string& label = labels[i];
    ready.plan.arms.push_back({.label = label, .settings = {}});
    ready.arms.push_back({.label = label, .configuration = {}});
    ready.arms.back().configuration.algo.window = 1;
    ArmResult result;
    for (const double level : levels[i]) {
      Curve curve;
      for (int k = 1; k <= 10; ++k) {
        curve.x.push_back(100.0 * k);
        curve.y.push_back(level);
      }
      result.curves.push_back(curve);
      result.seconds.push_back(0.01 * level);
    }
    results.push_back(std::move(result));
  }
  return analyze(ready, std::move(results));
}

}  // namespace retropg::test
