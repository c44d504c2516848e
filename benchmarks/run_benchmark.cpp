#include <benchmark/benchmark.h>

#include <unistd.h>

#include <filesystem>

#include "retropg/experiment/table2.hpp"
#include "retropg/storage/output_folder.hpp"
#include "retropg/storage/run_folder.hpp"
#include "retropg/configuration/train.hpp"

namespace retropg {
namespace {

/// A complete run (N = 4, omega = 8, 4000 iterations, one thread), including the run folder that `retropg train`
/// writes.
void BM_WholeRun(benchmark::State& state) {
  Configuration configuration;
  configuration.algo.batch = 4;
  configuration.algo.window = 8;
  configuration.train.iterations = 4000;
  configuration.train.threads = 1;
  const auto root = std::filesystem::temp_directory_path() / ("retropg_benchmark_" + std::to_string(getpid()));
  std::int64_t steps = 0;
  for (auto _ : state) {
    ++configuration.train.seed;
    TrainingRun run(configuration);
    const std::filesystem::path path = root / std::to_string(configuration.train.seed);
    make_output_folder(path);
    RunFolder folder(path, run, "benchmark", {});
    const RunResult result = run.train([&](const IterationRecord& record) {
      folder.record(record);
      return true;
    });
    folder.finish(result);
    steps += result.steps;
    if (result.best_return < 150.0) state.SkipWithError("the run did not learn");
  }
  std::filesystem::remove_all(root);
  state.SetItemsProcessed(steps);
}
BENCHMARK(BM_WholeRun)->Unit(benchmark::kMillisecond)->UseRealTime();

/// `reproduce table2` without writing files, on two threads.
void BM_Table2(benchmark::State& state) {
  std::int64_t steps = 0;
  for (auto _ : state) {
    const Table2 table = run_table2(prepare_table2({.runs = state.range(0), .threads = 2}));
    steps += table.steps;
  }
  state.SetItemsProcessed(steps);
}
BENCHMARK(BM_Table2)->ArgName("runs")->Arg(10)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace retropg
