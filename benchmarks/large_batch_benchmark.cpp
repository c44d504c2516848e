#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/training/run.hpp"

// Iterations on Cart Pole with large batches, a full window of eight, and step size 0. `policy` is as in BM_Collect.
// Items processed = time steps.
namespace retropg {
namespace {

void iterate(benchmark::State& state, Index threads) {
  Configuration configuration;
  configuration.algo.batch = 16384;
  configuration.algo.window = 8;
  configuration.optimizer.rate = 0.0;
  configuration.train.iterations = 1'000'000;
  configuration.train.threads = threads;
  Trainer trainer = make_trainer(configuration);
  if (state.range(0) == 1) trainer.set_parameters({1.0, 2.0, 20.0, 4.0});
  Collector collector(make_environment(configuration), trainer.policy(), {}, trainer.workers());
  const auto once = [&] {
    answer(trainer, collector);
    return trainer.update();
  };
  for (Index k = 0; k < configuration.algo.window + 1; ++k) once();  // a batch has left the window, too
  const Index before = trainer.steps();
  for (auto _ : state) {
    if (!std::isfinite(once().return_mean)) state.SkipWithError("the return is not finite");
  }
  state.SetItemsProcessed(trainer.steps() - before);
}

/// One trainer on one thread or on two.
void BM_LargeBatch(benchmark::State& state) {
  iterate(state, state.range(1));
}
BENCHMARK(BM_LargeBatch)
    ->ArgNames({"policy", "threads"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Two trainers side by side, each on a thread of its own: the most that two cores can do.
void BM_LargeBatchSideBySide(benchmark::State& state) {
  iterate(state, 1);
}
BENCHMARK(BM_LargeBatchSideBySide)
    ->ArgName("policy")
    ->Arg(0)
    ->Arg(1)
    ->Threads(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace retropg
