#include <benchmark/benchmark.h>

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "retropg/core/random.hpp"
#include "retropg/environment/mujoco/mujoco_block.hpp"
#include "retropg/rollout/collector.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"

// The overhead of an iteration over its physics, with the paper's settings. Items processed = environment steps.
namespace retropg {
namespace {

struct Task {
  const char* id;
  int substeps;
  Index batch, window, horizon;
  double variance;
};
constexpr Task kTasks[] = {{"HalfCheetah-v4", 5, 40, 8, 100, 0.1}, {"Swimmer-v4", 4, 20, 4, 200, 0.3}};

Configuration configure(const Task& task, Index threads) {
  Configuration configuration;
  configuration.env.id = task.id;
  configuration.policy.kind = "mlp-gaussian";
  configuration.policy.variance = {task.variance};
  configuration.algo.batch = task.batch;
  configuration.algo.window = task.window;
  configuration.optimizer.rate = 0.0;  // keeps the policy, so that both benchmarks simulate the same motion
  configuration.train.iterations = 1'000'000;
  configuration.train.threads = threads;
  return configuration;
}

/// One whole iteration with a full window: simulation, ratios, gradient, update.
void BM_Iteration(benchmark::State& state) {
  const Task& task = kTasks[state.range(0)];
  const Configuration configuration = configure(task, state.range(1));
  Trainer trainer = make_trainer(configuration);
  Collector collector(make_environment(configuration), trainer.policy(), {}, trainer.workers());
  const auto iterate = [&] {
    for (const Draw& draw : trainer.ask()) {
      Collected collected = collector.collect(draw.behavior, trainer.iteration(), 0, draw.count);
      trainer.tell({.behavior = {},
                    .evidence = std::move(collected.evidence),
                    .returns = std::move(collected.returns),
                    .lengths = std::move(collected.lengths)});
    }
    return trainer.update();
  };
  for (Index k = 0; k < task.window; ++k) iterate();
  for (auto _ : state) {
    if (!std::isfinite(iterate().return_mean)) state.SkipWithError("the return is not finite");
  }
  state.SetItemsProcessed(state.iterations() * task.batch * task.horizon);
}
BENCHMARK(BM_Iteration)
    ->ArgNames({"task", "threads"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Only the mj_step calls of such an iteration: its first batch again, with the same initial states and actions.
void BM_BarePhysics(benchmark::State& state) {
  const Task& task = kTasks[state.range(0)];
  const Configuration configuration = configure(task, 1);
  const EnvironmentDefinition environment = make_environment(configuration);
  const Trainer trainer = make_trainer(configuration);
  Collector collector(environment, trainer.policy(), {}, trainer.workers());
  const TrajectoryBatch batch = collector.collect_steps(trainer.parameters(), 1, 0, task.batch);

  const auto block = environment.make(kChunk);
  auto& starts = dynamic_cast<MujocoBlock&>(*block);
  const mjModel& model = starts.model();
  std::vector<double> observations(as_size(environment.observation_size * kChunk));
  std::vector<std::vector<double>> positions, velocities;
  for (Index j = 0; j < task.batch; ++j) {
    RandomStream random(
        {.seed = 1, .purpose = Purpose::kReset, .iteration = 1, .trajectory = static_cast<std::uint32_t>(j)});
    block->reset(0, random, observations);
    positions.emplace_back(starts.data(0).qpos, starts.data(0).qpos + model.nq);
    velocities.emplace_back(starts.data(0).qvel, starts.data(0).qvel + model.nv);
  }
  const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(&model), &mj_deleteData);
  for (auto _ : state) {
    const double* control = batch.actions.data();
    for (std::size_t j = 0; j < positions.size(); ++j) {
      mj_resetData(&model, data.get());
      std::copy(positions[j].begin(), positions[j].end(), data->qpos);
      std::copy(velocities[j].begin(), velocities[j].end(), data->qvel);
      for (Index t = 0; t < task.horizon; ++t) {
        for (int i = 0; i < model.nu; ++i) data->ctrl[i] = *control++;
        for (int i = 0; i < task.substeps; ++i) mj_step(&model, data.get());
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * task.batch * task.horizon);
  if (!std::isfinite(data->qpos[0])) state.SkipWithError("the state is not finite");
}
BENCHMARK(BM_BarePhysics)->ArgName("task")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace retropg
