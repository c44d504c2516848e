#include <benchmark/benchmark.h>

#include <cmath>

#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "scalar_cart_pole.hpp"

// Items processed = time steps. `policy` 0 is theta = 0 (about 41 steps per trajectory), 1 a trained one (200 steps).
namespace retropg {
namespace {

constexpr double kVariance = 0.3;

std::vector<double> parameters(std::int64_t policy) {
  return policy == 0 ? std::vector<double>{0.0, 0.0, 0.0, 0.0} : std::vector<double>{1.0, 2.0, 20.0, 4.0};
}

void BM_ScalarLoop(benchmark::State& state) {
  const std::vector<double> theta = parameters(state.range(0));
  double checksum = 0.0;
  std::int64_t steps = 0;
  for (auto _ : state) {
    steps += scalar_cart_pole(10000, theta.data(), kVariance, &checksum);
    benchmark::DoNotOptimize(checksum);
  }
  state.SetItemsProcessed(steps);
  if (!std::isfinite(checksum)) state.SkipWithError("moments are not finite");
}
BENCHMARK(BM_ScalarLoop)->ArgName("policy")->Arg(0)->Arg(1);

void BM_Collect(benchmark::State& state) {
  const std::vector<double> theta = parameters(state.range(0));
  const auto policy = linear_gaussian({.observation_size = 4, .action_size = 1, .variance = {kVariance}});
  const Workers workers(1);
  Collector collector(cart_pole(), *policy, {}, workers);
  std::int64_t steps = 0;
  Index iteration = 0;
  Collected collected;
  for (auto _ : state) {
    collected = collector.collect(theta, ++iteration, 0, state.range(1));
    for (const Index length : collected.lengths) steps += length;
  }
  state.SetItemsProcessed(steps);
  if (!(collected.returns[0] > 0.0)) state.SkipWithError("a trajectory has no reward");
}
BENCHMARK(BM_Collect)->ArgNames({"policy", "batch"})->ArgsProduct({{0, 1}, {4, 8, 16, 32, 64, 128, 256}});

}  // namespace
}  // namespace retropg
