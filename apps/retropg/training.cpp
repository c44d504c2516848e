#include "training.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "interrupt.hpp"
#include "json_text.hpp"
#include "progress.hpp"
#include "retropg/core/error.hpp"
#include "retropg/training/advice.hpp"
#include "say.hpp"
#include "shell.hpp"

namespace retropg::app {
namespace {

RunResult watched_training(TrainingRun& run, RunFolder& folder) {
  Progress progress;
  Advice advice;
  RunResult result = run.train([&](const IterationRecord& record) {
    folder.record(record);
    if (save_requested()) folder.save();
    if (const std::optional<std::string> line = advice.see(record)) {
      progress.finish();
      say(*line);
    }
    if (progress.due()) {
      progress.show(share_done(record, run.configuration().train),
                    fmt::format("iteration {}  return {:.2f}  ess {:.0f}  trajectories {}", record.iteration,
                                record.return_mean, record.diagnostics.effective_sample_size, record.trajectories));
    }
    return interrupt_status() == 0;
  });
  result.seconds += folder.seconds_before();
  result.final_return = folder.last_return();
  result.interrupted = !run.trainer().finished();
  return result;
}

void print(const RunResult& result, const Configuration& configuration, const std::filesystem::path& path, bool json) {
  if (json) {
    const nlohmann::ordered_json object = {{"environment", configuration.env.id},
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
    fmt::print("{}\n", json_text(object));
    return;
  }
  fmt::print("{} on {}: {} iterations, {} trajectories, {} steps in {:.3f} s\n", configuration.algo.name,
             configuration.env.id, result.iterations, result.trajectories, result.steps, result.seconds);
  fmt::print("mean return: last batch {:.1f}, best batch {:.1f}\n", result.final_return, result.best_return);
  fmt::print("run folder: {}\n", path.string());
}

}  // namespace

int train_in(TrainingRun& run, RunFolder& folder, bool json) {
  RunResult result;
  try {
    result = watched_training(run, folder);
  } catch (const std::exception& error) {
    folder.fail(error);
    throw;
  }
  if (result.interrupted) {
    say(fmt::format("stopped by {} after iteration {}; go on with: retropg resume {}", interrupt_name(),
                    result.iterations, shell_word(folder.path().string())));
  }
  folder.finish(result, result.interrupted ? interrupt_name() : "");
  print(result, run.configuration(), folder.path(), json);
  return result.interrupted ? interrupt_status() : 0;
}

}  // namespace retropg::app
