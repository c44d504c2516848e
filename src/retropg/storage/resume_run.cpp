#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/core/version.hpp"
#include "retropg/kernels/simd.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/run_folder.hpp"

namespace retropg {
namespace {

constexpr std::array<std::string_view, 2> kFree = {"train.threads", "train.lanes"};
constexpr std::array<std::string_view, 3> kLimits = {"train.iterations", "train.budget", "train.steps"};

bool one_of(std::span<const std::string_view> names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether a limit, of which 0 is none, is at least another.
bool reaches(Index limit, Index other) {
  return limit == 0 || (other != 0 && limit >= other);
}

/// The flags that make a run longer: those of the limits that it has.
std::string flags_of_limits(const TrainSettings& train) {
  std::vector<std::string> flags;
  if (iteration_limit(train) > 0) flags.emplace_back("--iterations");
  if (train.budget > 0) flags.emplace_back("--budget");
  if (train.steps > 0) flags.emplace_back("--steps");
  return fmt::format("{}", fmt::join(flags, " or "));
}

/// Those of these limits that a run has reached.
std::string flags_of_reached_limits(const Trainer& trainer, const TrainSettings& limits) {
  std::vector<std::string> flags;
  if (const Index limit = iteration_limit(limits); limit > 0 && trainer.iteration() > limit) {
    flags.emplace_back("--iterations");
  }
  if (limits.budget > 0 && trainer.trajectories() + confirming_episodes(limits) >= limits.budget) {
    flags.emplace_back("--budget");
  }
  if (limits.steps > 0 && trainer.steps() >= limits.steps) flags.emplace_back("--steps");
  return fmt::format("{}", fmt::join(flags, ", "));
}

void apply_change(Configuration& configuration, const char* flag, const char* key, std::optional<Index> value) {
  if (value) apply_flag(configuration, {.flag = flag, .key = key, .value = std::to_string(*value)});
}

void apply_limit(Configuration& configuration, const char* flag, const char* key, std::optional<Index> limit) {
  require(limit.value_or(1) > 0, fmt::format("{} must be at least 1", flag));
  apply_change(configuration, flag, key, limit);
}

/// A checkpoint can be gone on from with a configuration if only what does not change results differs, or the length of
/// the run, which may grow. Throws an Error that names the key.
void require_same_run(const Configuration& now, const Configuration& then) {
  for (const std::string& key : differing_keys(now, then)) {
    if (may_differ_when_resumed(key) || one_of(kLimits, key)) continue;
    throw Error(fmt::format("the run was made with {} = {}, not {}; only its length, threads and lanes may change", key,
                            setting_text(then, key), setting_text(now, key)));
  }
  const auto require_longer = [&](const char* key, Index limit, Index other) {
    require(limit == 0 || other != 0, fmt::format("{} = {}: the run has no such limit; make it longer with {}", key,
                                                  limit, flags_of_limits(then.train)));
    require(reaches(limit, other),
            fmt::format("{} = {} is less than the {} that the run was made with", key, limit, other));
  };
  require_longer("train.iterations", iteration_limit(now.train), iteration_limit(then.train));
  require_longer("train.budget", now.train.budget, then.train.budget);
  require_longer("train.steps", now.train.steps, then.train.steps);
}

/// Throws Error unless a file can be gone on with: a plain one without a second name, which may be outside of the
/// folder. Returns its size.
std::size_t require_own_file(const Place& file) {
  const std::optional<Standing> status = file.status();
  require(status.has_value(), file.string() + ": is missing; the run cannot be resumed without it");
  require(status->is_file, file.string() + ": is not a regular file; the run cannot be resumed with it");
  require(status->names == 1, file.string() +
                                  ": has a second name (a hard link), and what is behind it would change too; make "
                                  "a copy of the folder with cp -r and resume that");
  return as_size(status->bytes);
}

/// What the run writes to is there, whole, and in the folder.
void require_logs(const Place& path, const Configuration& configuration, const Checkpoint& checkpoint) {
  require(checkpoint.logs.contains("progress.csv") &&
              (configuration.log.metrics == 0 || checkpoint.logs.contains("metrics.jsonl")) &&
              (configuration.train.eval_every == 0 || checkpoint.logs.contains("evaluations.csv")),
          path.string() + ": the checkpoint does not say how long the logs were");
  for (const auto& [name, bytes] : checkpoint.logs) {
    const std::size_t size = require_own_file(path / name);
    require(size >= as_size(bytes),
            fmt::format("{}: has {} bytes, but had {} at the checkpoint after iteration {}: lines are lost",
                        (path / name).string(), size, bytes, checkpoint.iteration));
  }
  if (const Place timing = path / "timing.jsonl"; is_there(timing)) require_own_file(timing);
  if (const Place policy = path / "policy"; is_there(policy)) {
    require(is_folder(policy), policy.string() + ": is not a folder; the run cannot be resumed with it");
  }
  if (configuration.train.eval_every > 0 && configuration.log.monitor && checkpoint.logs.contains("monitor.csv")) {
    load_evaluations(path, configuration.train, checkpoint.iteration);
  }
}

void warn_of_other_program(const Checkpoint& checkpoint, const Warn& warn) {
  if (checkpoint.version != version()) {
    warn(fmt::format("the run was made by version {}, this is {}: bits may differ", checkpoint.version, version()));
  }
  if (checkpoint.simd != kernels::active_target()) {
    warn(fmt::format("the run was made with {} instructions, this machine has {}: bits may differ", checkpoint.simd,
                     kernels::active_target()));
  }
}

}  // namespace

bool may_differ_when_resumed(const std::string& key) {
  return one_of(kFree, key);
}

Checkpoint restore_newest(TrainingRun& run, const Configuration& stored, const Place& path, const Warn& warn) {
  const CheckpointFolder checkpoints(path / "checkpoints");
  std::string problems;
  for (const Index iteration : checkpoints.iterations()) {
    Checkpoint checkpoint;
    try {
      checkpoint = checkpoints.load(iteration);
    } catch (const Error& error) {
      problems += fmt::format("{}{}", problems.empty() ? "" : "; ", error.what());
      continue;
    }
    Configuration then;
    apply_text(then, checkpoint.configuration, checkpoints.file(iteration).string(), OldKeys::kAccept);
    require_same_run(stored, then);
    if (stored.train.budget != then.train.budget && checkpoint.may_be_cut) continue;  // it had been longer
    require_logs(path, stored, checkpoint);
    Archive archive(std::move(checkpoint.state));
    run.trainer().state(archive);
    require(run.trainer().iteration() - 1 == checkpoint.iteration,
            fmt::format("{}: says iteration {}, but its state is that after iteration {}",
                        checkpoints.file(iteration).string(), checkpoint.iteration, run.trainer().iteration() - 1));
    warn_of_other_program(checkpoint, warn);
    if (!problems.empty()) warn(problems + "; the checkpoint before it is used");
    return checkpoint;
  }
  throw NoCheckpoint(path.string() + ": has no checkpoint to go on from" + (problems.empty() ? "" : "; ") + problems);
}

ResumedRun resume_run(const Place& given, const ResumeChanges& changes, const Warn& warn,
                      const std::optional<EnvironmentDefinition>& handed_over) {
  const Place path = given.opened();
  require(!is_there(path / "plan.toml"), path.string() +
                                             ": is a results folder; go on with the command in its command.txt and "
                                             "--out " +
                                             path.string());
  require(is_there(path / "config.toml"),
          path.string() + ": is not a run folder (no config.toml), or its run stopped before it began");
  FolderLock lock(path);
  // What the folder says, and what runs now: threads and lanes do not change the folder's configuration.
  const Configuration before = load_run_configuration(path / "config.toml");
  Configuration stored = before;
  apply_limit(stored, "--iterations", "train.iterations", changes.iterations);
  apply_limit(stored, "--budget", "train.budget", changes.budget);
  apply_limit(stored, "--steps", "train.steps", changes.steps);
  Configuration configuration = stored;
  apply_change(configuration, "--threads", "train.threads", changes.threads);
  apply_change(configuration, "--lanes", "train.lanes", changes.lanes);
  auto run = std::make_unique<TrainingRun>(configuration, handed_over);
  const Checkpoint checkpoint = restore_newest(*run, stored, path, warn);
  const std::string ended_by =
      run->trainer().finished() ? flags_of_reached_limits(run->trainer(), before.train) : std::string();
  require(ended_by.empty() || differing_keys(stored, before).empty(),
          fmt::format("{}: the run is complete after iteration {}; to make it longer, raise {}", path.string(),
                      checkpoint.iteration, ended_by));

  // Nothing was changed so far. Each step below leaves a run that can be resumed.
  CheckpointFolder checkpoints(path / "checkpoints");
  checkpoints.remove_after(checkpoint.iteration);
  checkpoints.continue_after(checkpoint);
  if (const std::string text = to_toml(stored); text != read_file(path / "config.toml")) {
    write_file(path / "config.toml", text);
  }
  auto folder = std::make_unique<RunFolder>(path, *run, std::move(checkpoints), checkpoint, std::move(lock), warn);
  return {std::move(run), std::move(folder), checkpoint.iteration, ended_by};
}

}  // namespace retropg
