#include "training.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "interrupt.hpp"
#include "json_text.hpp"
#include "progress.hpp"
#include "report/count_text.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/result_file.hpp"
#include "retropg/training/advice.hpp"
#include "say.hpp"
#include "shell.hpp"

namespace retropg::app {
namespace {

RunResult watched_training(TrainingRun& run, RunFolder& folder) {
  Progress progress;
  Advice advice(has_effect(run.configuration(), "optimizer.rate"));
  RunResult result = run.train([&](const IterationRecord& record) {
    folder.record(record);
    if (save_requested()) folder.save();
    if (!record.diagnostics.notice.empty()) {
      progress.finish();
      say(fmt::format("iteration {}: {}", record.iteration, record.diagnostics.notice));
    }
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

std::string in_words(double mean_return) {
  return std::isfinite(mean_return) ? fmt::format("{:.1f}", mean_return) : "none";
}

std::string in_words(const EstimatedReturn& estimated) {
  return fmt::format("{:.1f} ({:.1f} to {:.1f}), 95 %", estimated.mean, estimated.low, estimated.high);
}

/// Which iterate the run returns, and what is known of its return.
std::string returned(const RunResult& result) {
  const std::string& name = result.output_name;
  std::string text = name == "last"        ? "the last iterate"
                     : name == "centroid"  ? "the centroid of the best draws"
                     : name == "elite"     ? "the elite, the best parameters that were evaluated on their own"
                     : name == "estimated" ? "an earlier iterate, better than the last by more than the error"
                     : name == "best"      ? "the iterate with the best batch"
                                           : "a random iterate";
  const EstimatedReturn& estimate = result.output_return;
  const bool evaluated = result.mean_return && result.mean_return->known();
  if (estimate.known()) {
    text += fmt::format("; return {}, estimated from {} of the run", in_words(estimate),
                        count_text(estimate.trajectories, "trajectory"));
  }
  if (evaluated) {
    text += fmt::format("; {}, with its mean, from {} after training", in_words(*result.mean_return),
                        count_text(result.mean_return->trajectories, "episode"));
  }
  if (result.solved) text += "; solved: five of five trajectories reached the largest return there is";
  if (!estimate.known() && !evaluated && !result.solved) {
    text += "; its return was not measured: `--confirm 20` does so within the budget, `retropg eval` after it";
  }
  return text;
}

void print(const RunResult& result, const Configuration& configuration, const std::filesystem::path& path, bool json) {
  if (json) {
    nlohmann::ordered_json object = {{"environment", configuration.env.id},
                                     {"algorithm", configuration.algo.name},
                                     {"seed", configuration.train.seed}};
    object.update(nlohmann::ordered_json::parse(result_json(result)));
    object.update({{"seconds", result.seconds}, {"interrupted", result.interrupted}, {"folder", path.string()}});
    show("{}\n", json_text(object));
    return;
  }
  show("{} on {}: {}, {}, {} in {:.3f} s\n", configuration.algo.name, configuration.env.id,
       count_text(result.iterations, "iteration"), count_text(result.trajectories, "trajectory"),
       count_text(result.steps, "step"), result.seconds);
  if (result.dropped > 0 || result.skipped > 0) {
    show("dropped as broken: {}; skipped: {}\n", count_text(result.dropped, "trajectory"),
         count_text(result.skipped, "update"));
  }
  show("mean return: last batch {}, best batch {}\n", in_words(result.final_return), in_words(result.best_return));
  show("returned policy: {}\n", returned(result));
  show("run folder: {}\n", path.string());
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
