#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "commands.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "progress.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/storage/run_folder.hpp"

namespace retropg::app {

int train_command(const TrainArguments& arguments) {
  TrainingRun run(resolve(arguments.flags));  // throws on invalid settings before anything is created
  const Configuration& configuration = run.configuration();
  const std::filesystem::path path =
      arguments.out ? std::filesystem::path(*arguments.out) : default_run_folder(configuration);
  watch_for_signals();
  RunFolder folder(path, run, arguments.command);

  const Index iterations = run.planned_iterations();
  Progress progress;
  auto flushed = std::chrono::steady_clock::now();
  const RunResult result = run.train([&](const IterationRecord& record) {
    folder.record(record);
    // With a budget, measure progress in trajectories: an iteration may take more or fewer than a batch.
    const Index budget = configuration.train.budget;
    const double budget_share = static_cast<double>(record.trajectories) / static_cast<double>(budget);
    const double iteration_share = static_cast<double>(record.iteration) / static_cast<double>(iterations);
    const bool by_budget = budget > 0 && (!configuration.train.iterations || budget_share >= iteration_share);
    const Index done = by_budget ? record.trajectories : record.iteration, total = by_budget ? budget : iterations;
    if (progress.due(done, total)) {
      progress.show(done, total,
                    fmt::format("iteration {}  return {:.2f}  ess {:.0f}  trajectories {}", record.iteration,
                                record.return_mean, record.diagnostics.effective_sample_size, record.trajectories));
    }
    const auto now = std::chrono::steady_clock::now();
    if (save_requested() || now - flushed > std::chrono::seconds(1)) {
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
    fmt::print("{}\n", json_text(json));
  } else {
    fmt::print("{} on {}: {} iterations, {} trajectories, {} steps in {:.3f} s\n", configuration.algo.name,
               configuration.env.id, result.iterations, result.trajectories, result.steps, result.seconds);
    fmt::print("mean return: last batch {:.1f}, best batch {:.1f}\n", result.final_return, result.best_return);
    fmt::print("run folder: {}\n", path.string());
  }
  return interrupt_status();
}

}  // namespace retropg::app
