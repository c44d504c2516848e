#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "retropg/training/configuration.hpp"
#include "retropg/training/registry.hpp"
#include "retropg/training/run_folder.hpp"
#include "retropg/training/train.hpp"

namespace retropg::app {
namespace {

/// Defaults < file < flags and --set, in this order.
Configuration resolve(const TrainArguments& arguments) {
  Configuration configuration;
  if (arguments.config) apply_file(configuration, *arguments.config);
  const auto flag = [&](const char* key, const auto& value) {
    if (value) apply_setting(configuration, fmt::format("{}={}", key, *value));
  };
  flag("env.id", arguments.env);
  flag("algo.name", arguments.algo);
  flag("algo.batch", arguments.batch);
  flag("algo.window", arguments.window);
  flag("train.iterations", arguments.iterations);
  flag("train.budget", arguments.budget);
  flag("train.seed", arguments.seed);
  flag("train.threads", arguments.threads);
  for (const std::string& setting : arguments.settings) apply_setting(configuration, setting);
  return canonical(configuration);
}

}  // namespace

int train_command(const TrainArguments& arguments) {
  const Configuration configuration = resolve(arguments);
  const std::filesystem::path path =
      arguments.out ? std::filesystem::path(*arguments.out) : default_run_folder(configuration);
  make_trainer(configuration);  // refuses what cannot run before anything is created
  RunFolder folder(path, configuration, arguments.command);

  watch_for_interrupts();
  const Index iterations = planned_iterations(configuration);
  Progress progress;
  auto flushed = std::chrono::steady_clock::now();
  const RunResult result = train(configuration, [&](const IterationRecord& record) {
    folder.record(record);
    // With a budget trajectories tell how far the run is: an iteration may cost more or less than a batch.
    const Index budget = configuration.train.budget;
    const double spent = static_cast<double>(record.trajectories) / static_cast<double>(budget);
    const double walked = static_cast<double>(record.iteration) / static_cast<double>(iterations);
    const bool by_budget = budget > 0 && (!configuration.train.iterations || spent >= walked);
    const Index done = by_budget ? record.trajectories : record.iteration, total = by_budget ? budget : iterations;
    if (progress.due(done, total)) {
      progress.show(done, total,
                    fmt::format("iteration {}  return {:.2f}  ess {:.0f}  trajectories {}", record.iteration,
                                record.return_mean, record.diagnostics.effective_sample_size, record.trajectories));
    }
    if (const auto now = std::chrono::steady_clock::now(); now - flushed > std::chrono::seconds(1)) {
      folder.flush(record);
      flushed = now;
    }
    return interrupt_status() == 0;
  });
  progress.finish();
  folder.finish(result);

  if (arguments.json) {
    const nlohmann::ordered_json json = {{"environment", configuration.env.id},
                                         {"algorithm", configuration.algo.name},
                                         {"seed", configuration.train.seed},
                                         {"iterations", result.iterations},
                                         {"trajectories", result.trajectories},
                                         {"steps", result.steps},
                                         {"seconds", result.seconds},
                                         {"final_return", result.final_return},
                                         {"best_return", result.best_return},
                                         {"interrupted", result.interrupted},
                                         {"folder", path.string()}};
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{} on {}: {} iterations, {} trajectories, {} steps in {:.3f} s\n", configuration.algo.name,
               configuration.env.id, result.iterations, result.trajectories, result.steps, result.seconds);
    fmt::print("mean return of the last batch {:.2f}, of the best {:.2f}\n", result.final_return, result.best_return);
    fmt::print("run folder: {}\n", path.string());
  }
  return interrupt_status();
}

}  // namespace retropg::app
