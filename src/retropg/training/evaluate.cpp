#include "retropg/training/evaluate.hpp"

#include <algorithm>

#include "retropg/rollout/collector.hpp"

namespace retropg {
namespace {

/// Episodes that are collected at a time: few enough that their steps take little memory and progress is seen.
Index slice(Index horizon) {
  constexpr Index kSteps = 200'000, kFewest = 64, kMost = 1024;
  return std::clamp(kSteps / horizon, kFewest, kMost);
}

}  // namespace

std::vector<double> evaluate(const EnvironmentDefinition& environment, const Policy& policy, Parameters theta,
                             const EvaluationOptions& options) {
  const Workers workers(options.threads);
  Collector collector(environment, policy, {.seed = options.seed, .deterministic = options.deterministic}, workers);
  // Slicing does not change results, because random numbers depend only on the index of the episode.
  std::vector<double> returns;
  const Index most = slice(environment.horizon);
  for (Index first = 0; first < options.episodes; first += most) {
    const Index count = std::min(most, options.episodes - first);
    const Collected collected = collector.collect(theta, 0, first, count);
    returns.insert(returns.end(), collected.returns.begin(), collected.returns.end());
    if (options.progress) options.progress(first + count);
  }
  return returns;
}

}  // namespace retropg
