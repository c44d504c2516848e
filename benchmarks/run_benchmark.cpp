#include <benchmark/benchmark.h>

#include <unistd.h>

#include <filesystem>

#include "retropg/environment/mujoco.hpp"
#include "retropg/experiment/experiment.hpp"
#include "retropg/storage/output_folder.hpp"
#include "retropg/storage/run_folder.hpp"
#include "retropg/configuration/train.hpp"

namespace retropg {
namespace {

/// Trains in a run folder as `retropg train` does; returns the steps.
std::int64_t run_in_folder(const Configuration& configuration, const std::filesystem::path& path) {
  TrainingRun run(configuration);
  make_output_folder(path);
  RunFolder folder(path, run, "benchmark", {});
  const RunResult result = run.train([&](const IterationRecord& record) {
    folder.record(record);
    return true;
  });
  folder.finish(result);
  return result.steps;
}

void repeat_in_folders(benchmark::State& state, Configuration configuration) {
  const auto root = std::filesystem::temp_directory_path() / ("retropg_benchmark_" + std::to_string(getpid()));
  std::int64_t steps = 0;
  for (auto _ : state) {
    ++configuration.train.seed;
    steps += run_in_folder(configuration, root / std::to_string(configuration.train.seed));
  }
  std::filesystem::remove_all(root);
  state.SetItemsProcessed(steps);
}

Configuration cart_pole(Index iterations) {
  Configuration configuration;
  configuration.algo.batch = 4;
  configuration.algo.window = 8;
  configuration.train.iterations = iterations;
  configuration.train.threads = 1;
  return configuration;
}

/// A network on Half Cheetah, in a window of eight batches.
Configuration half_cheetah(Index iterations) {
  Configuration configuration = cart_pole(iterations);
  configuration.env.id = "HalfCheetah-v4";
  configuration.policy.kind = "mlp-gaussian";
  configuration.algo.batch = 20;
  return configuration;
}

/// A complete run (N = 4, omega = 8, 4000 iterations, one thread) with its folder; metrics.jsonl has a line per so many
/// iterations, or does not exist (0). The time of the processor includes the thread that formats lines; the time that
/// passes also includes waiting for the disk when files are synced.
void BM_WholeRun(benchmark::State& state) {
  Configuration configuration = cart_pole(4000);
  configuration.log.metrics = state.range(0);
  repeat_in_folders(state, configuration);
}
BENCHMARK(BM_WholeRun)
    ->ArgName("metrics")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

/// The same run with a limit on the step that no step reaches, or none (0): what measuring the steps costs.
void BM_LimitedRun(benchmark::State& state) {
  Configuration configuration = cart_pole(4000);
  configuration.optimizer.trust = static_cast<double>(state.range(0));
  repeat_in_folders(state, configuration);
}
BENCHMARK(BM_LimitedRun)
    ->ArgName("trust")
    ->Arg(0)
    ->Arg(1'000'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

/// Runs of about two seconds with a checkpoint every so many milliseconds, or none by time (0). At the default of one
/// per minute, 120 times as rare as at 500, checkpoints cost that much less.
void BM_Checkpoints(benchmark::State& state, Configuration configuration) {
  if (mujoco_version().empty() && configuration.env.id == "HalfCheetah-v4") {
    state.SkipWithError("this build has no MuJoCo");
    return;
  }
  configuration.checkpoint.seconds = static_cast<double>(state.range(0)) / 1000.0;
  repeat_in_folders(state, std::move(configuration));
}
BENCHMARK_CAPTURE(BM_Checkpoints, cart_pole, cart_pole(40000))
    ->ArgName("ms")
    ->Arg(0)
    ->Arg(500)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Checkpoints, half_cheetah, half_cheetah(40))
    ->ArgName("ms")
    ->Arg(0)
    ->Arg(500)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// `reproduce table2` without writing files, on two threads.
void BM_Table2(benchmark::State& state) {
  std::int64_t steps = 0;
  for (auto _ : state) {
    const ExperimentResult result =
        run_experiment(prepare(builtin_experiment("table2"), {.runs = state.range(0), .threads = 2}));
    for (const ComparedArm& arm : result.comparison().arms) steps += arm.steps;
  }
  state.SetItemsProcessed(steps);
}
BENCHMARK(BM_Table2)->ArgName("runs")->Arg(10)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace retropg
