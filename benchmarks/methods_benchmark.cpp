#include <benchmark/benchmark.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"

namespace retropg {
namespace {

/// A short run of one algorithm on Cart Pole on one thread: 1000 trajectories, ten per iteration, from theta = 0. Items
/// processed = time steps. The step size is 0, so that all methods simulate trajectories of the same lengths.
void BM_Method(benchmark::State& state, const std::string& algorithm) {
  Configuration configuration;
  configuration.algo.name = algorithm;
  configuration.optimizer.rate = 0.0;
  configuration.train.budget = 1000;
  configuration.train.threads = 1;
  std::int64_t steps = 0;
  for (auto _ : state) {
    const RunResult result = train(configuration);
    steps += result.steps;
    if (result.trajectories != 1000) state.SkipWithError("the budget was not spent");
  }
  state.SetItemsProcessed(steps);
}

const bool kRegistered = [] {
  for (const AlgorithmEntry& entry : algorithms()) {
    benchmark::RegisterBenchmark(("BM_Method/" + entry.name).c_str(), BM_Method, entry.name);
  }
  return true;
}();

}  // namespace
}  // namespace retropg
