#include <benchmark/benchmark.h>

#include <memory>

#include "retropg/core/numerics.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/rollout/collector.hpp"

namespace retropg {
namespace {

/// The estimator's part of an iteration: ratios, divergences, weights and gradient over a full-reuse window of Cart
/// Pole trajectories. Items processed = trajectories; `bytes` is the memory used by the evidence.
template <typename MakeRule>
void estimate(benchmark::State& state, const MakeRule& make_rule) {
  const Index total = state.range(0), batch = state.range(1), threads = state.range(2);
  const auto policy = linear_gaussian({.observation_size = 4, .action_size = 1, .variance = {0.3}});
  const Workers workers(threads);
  const OrderedSum sum(workers);
  std::vector<double> theta{1.0, 2.0, 20.0, 4.0};
  Collector collector(cart_pole(), *policy, {}, workers);
  const auto sample = collector.collect(theta, 1, 0, batch).evidence;
  Window window(kFullReuse);
  double bytes = 0.0;
  for (Index i = 0; i < total / batch;
       ++i) {  // copies with slightly different behaviors; values do not affect the time
    const std::vector<double> behavior{1.0 + 1e-6 * static_cast<double>(i), 2.0, 20.0, 4.0};
    auto evidence = policy->restore(behavior, batch, sample->numbers());
    bytes += static_cast<double>(evidence->numbers().size() * sizeof(double));
    window.push(behavior, std::move(evidence));
  }
  WindowedGradient gradient(make_rule());
  Estimate result = gradient(window, theta, sum);  // allocates the buffers
  for (auto _ : state) {
    result = gradient(window, theta, sum);
    benchmark::DoNotOptimize(result.gradient.data());
  }
  state.SetItemsProcessed(state.iterations() * total);
  // Plus, per trajectory, its log-ratio, divergence and weight, and its share of a row of sums.
  state.counters["bytes"] = bytes + static_cast<double>(total) * (3.0 + 6.0 / kChunk) * sizeof(double);
  if (!all_finite(result.gradient)) state.SkipWithError("the gradient is not finite");
}

void BM_FullReuse(benchmark::State& state) {
  estimate(state, [] { return multiple_power_mean({}); });
}
BENCHMARK(BM_FullReuse)
    ->ArgNames({"trajectories", "batch", "threads"})
    ->Args({1000000, 100, 1})
    ->Args({1000000, 100, 2})
    ->Args({1000000, 8, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_Window(benchmark::State& state) {
  estimate(state, [] { return multiple_power_mean({}); });
}
BENCHMARK(BM_Window)
    ->ArgNames({"trajectories", "batch", "threads"})
    ->Args({32, 4, 1})
    ->Args({128, 16, 1})
    ->Unit(benchmark::kMicrosecond);

void BM_BalanceHeuristic(benchmark::State& state) {
  estimate(state, [] { return balance_heuristic(); });
}
BENCHMARK(BM_BalanceHeuristic)
    ->ArgNames({"trajectories", "batch", "threads"})
    ->Args({40, 5, 1})
    ->Args({640, 5, 1})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace retropg
