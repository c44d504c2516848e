#include "retropg/training/evaluate.hpp"

#include <algorithm>

#include "retropg/rollout/collector.hpp"

namespace retropg {
namespace {

constexpr Index kSlice = 1024;  // episodes whose steps are in memory at a time

}  // namespace

std::vector<double> evaluate(const EnvironmentDefinition& environment, const Policy& policy, Parameters theta,
                             const EvaluationOptions& options) {
  const Workers workers(options.threads);
  Collector collector(environment, policy, {.seed = options.seed, .deterministic = options.deterministic}, workers);
  // Slicing does not change results, because random numbers depend only on the index of the episode.
  std::vector<double> returns;
  for (Index first = 0; first < options.episodes; first += kSlice) {
    const Index count = std::min(kSlice, options.episodes - first);
    const Collected collected = collector.collect(theta, 0, first, count);
    returns.insert(returns.end(), collected.returns.begin(), collected.returns.end());
  }
  return returns;
}

}  // namespace retropg
