#include "retropg/experiment/run_store.hpp"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/curve_file.hpp"

namespace retropg {
namespace {

constexpr std::chrono::milliseconds kShort{300};  // to lose that much of a run costs less than to save it

/// The first line of the status file; empty if there is none.
std::string status_of(const Place& run) {
  if (!is_there(run / "status")) return "";
  const std::string text = read_file(run / "status");
  return text.substr(0, text.find('\n'));
}

void require_configuration(const Place& run, const Configuration& wanted) {
  const Configuration there = load_run_configuration(run / "config.toml");
  for (const std::string& key : differing_keys(there, wanted)) {
    if (may_differ_when_resumed(key)) continue;
    throw Error(fmt::format("{}: was made with {} = {}, not {}", run.string(), key, setting_text(there, key),
                            setting_text(wanted, key)));
  }
}

/// Without what is not written, which would take memory for every iteration.
IterationRecord reduced_record(const IterationRecord& record, const Keep& keep) {
  IterationRecord kept = record;
  if (!keep.metrics) kept.diagnostics.batches = {};
  kept.outcomes = {};
  if (kept.evaluation) kept.evaluation->outcomes = {};
  return kept;
}

/// Removes the files that a run writes into a folder, and the folder if nothing else is in it. Checkpoints go before
/// their windows: killed in between, the program leaves windows without a checkpoint, which do no harm.
void remove_written(const Place& folder) {
  const std::vector<std::string> names = names_in(folder);
  for (const std::string_view ending : {".safetensors", ".bin", ".tmp"}) {
    for (const std::string& name : names) {
      if (name.ends_with(ending)) remove_file(folder / name);
    }
  }
  remove_file(folder);
}

/// Removes every file that a run writes, and its folder if nothing else is in it.
void remove_run(const Place& run) {
  for (const char* name : {"checkpoints", "checkpoints.tmp", "policy", "policy.tmp"}) remove_written(run / name);
  for (const char* name : {"config.toml", "provenance.json", "status", "progress.csv", "metrics.jsonl",
                           "evaluations.csv", "result.json", "timing.jsonl"}) {
    remove_file(run / name);
  }
  remove_written(run);
}

/// The same for a folder of a run that is done. It loses its name first, so that nobody takes a part of it for damage.
void remove_unwanted(const Place& folder) {
  const Place unnamed = folder.with(".tmp");
  if (is_there(unnamed)) remove_written(unnamed);  // the program may have ended before it could
  if (!is_there(folder) || !rename_file(folder, unnamed.filename())) return;
  remove_written(unnamed);
  if (is_there(unnamed)) rename_file(unnamed, folder.filename());  // it has files that are not the run's
}

Place curve_path(const Place& run) {
  return run.with(".csv");
}

/// Whether a short run was killed after everything but its status was written. Only such a run has none.
bool lacks_only_status(const Place& run) {
  if (is_there(run / "status")) return false;
  if (!is_there(run / "config.toml") || !is_there(run / "result.json")) return false;
  try {
    read_finished_run(run);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Removes what a run left that stopped before its first checkpoint. Throws Error if there is something else.
void remove_unbegun(const Place& run) {
  const FolderLock lock(run);
  const std::string status = status_of(run);
  const bool unfinished = !is_there(run / "status") || status == "running" || status.starts_with("failed") ||
                          status.starts_with("interrupted");
  require(
      unfinished || !is_there(run / "config.toml") || !is_there(run / "policy/final.safetensors"),
      run.string() + ": looks finished, but its status does not say so; write 'done' into it, or remove the folder");
  remove_run(run);
  require(!is_there(run),
          run.string() + ": has no checkpoint to go on from, and files that are not the run's; move them");
}

}  // namespace

RunStore::RunStore(const Place& folder, std::span<const Arm> arms, RunStoreOptions options)
    : options_(std::move(options)) {
  need_folder(folder);
  const std::vector<std::string> names = file_names(arms);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    need_folder(folder / names[i]);
    folders_[arms[i].label] = folder / names[i];
  }
}

Place RunStore::path(const Arm& arm, std::uint64_t seed) const {
  return folders_.at(arm.label) / std::to_string(seed);
}

Configuration RunStore::configuration(const Arm& arm, std::uint64_t seed) const {
  Configuration configuration = arm.configuration;
  configuration.train.seed = seed;
  configuration.train.threads = 1;
  if (!options_.keep.metrics) configuration.log.metrics = 0;
  configuration.log.tensorboard = configuration.log.monitor = false;  // for looking at one run, not at thousands
  return canonical(configuration);
}

void RunStore::remove_unkept(const Place& run) const {
  if (!options_.keep.checkpoints) remove_unwanted(run / "checkpoints");
  if (!options_.keep.policies) remove_unwanted(run / "policy");
}

std::optional<FinishedRun> RunStore::find(const Arm& arm, std::uint64_t seed) const {
  const Place run = path(arm, seed);
  if (const Place file = curve_path(run); options_.keep.curves && is_there(file)) {
    StoredCurve found = read_curve_file(file);
    if (is_there(run)) remove_run(run);  // the program may have ended before it could
    return FinishedRun{.curve = {.x = std::move(found.trajectories), .y = std::move(found.return_mean)},
                       .seconds = found.seconds,
                       .steps = found.steps};
  }
  if (lacks_only_status(run)) write_file(run / "status", "done\n");
  if (status_of(run) != "done") return std::nullopt;
  require_configuration(run, configuration(arm, seed));
  return reduced(run);  // the program may have ended before it could
}

FinishedRun RunStore::reduced(const Place& run) const {
  FinishedRun finished = read_finished_run(run);
  if (options_.keep.curves) {
    write_curve_file(curve_path(run), {.trajectories = finished.curve.x,
                                       .return_mean = finished.curve.y,
                                       .steps = finished.steps,
                                       .seconds = finished.seconds});
    remove_run(run);
  } else {
    remove_unkept(run);
  }
  return finished;
}

/// A run under way.
struct StoredRuns::Going {
  std::string name;
  Place path;
  Finished finished;
  std::unique_ptr<TrainingRun> run{};
  std::unique_ptr<RunFolder> folder{};     // null: none so far
  std::vector<IterationRecord> records{};  // until there is one
  RunResult result{};
};

void StoredRuns::open(Going& going, const RunSoFar& so_far) const {
  require(make_folder(going.path), going.path.string() + ": exists already");
  going.folder = std::make_unique<RunFolder>(going.path, *going.run, "", store_.options_.warn, so_far);
  going.records.clear();
}

void StoredRuns::train(Going& going, const GoOn& go_on) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const double before = going.folder == nullptr ? 0.0 : going.folder->seconds_before();
  Index requests = store_.requests_;
  const auto record_iteration = [&](const IterationRecord& record) {
    const Index so_far = store_.requests_;
    const bool requested = so_far != requests;
    requests = so_far;
    if (going.folder != nullptr) {
      going.folder->record(record);
      if (requested) going.folder->save();
      return go_on(share_done(record, going.run->configuration().train));
    }
    going.records.push_back(reduced_record(record, store_.options_.keep));
    if (const auto lasted = Clock::now() - start; requested || lasted >= kShort) {
      open(going, {.records = going.records, .seconds = std::chrono::duration<double>(lasted).count()});
    }
    return go_on(share_done(record, going.run->configuration().train));
  };
  try {
    going.result = going.run->train(record_iteration);
    going.result.seconds += before;
    if (!going.run->trainer().finished() && going.folder != nullptr) {
      const std::string reason = store_.options_.stopped_by ? store_.options_.stopped_by() : "";
      going.folder->finish(going.result, reason.empty() ? "another run failed" : reason);
    }
  } catch (const std::exception& error) {
    if (going.folder != nullptr) going.folder->fail(error);
    throw RunError(going.name + ": " + error.what());
  }
}

void StoredRuns::write(Going& going) const {
  FinishedRun run;
  try {
    if (going.folder == nullptr) open(going, {.records = going.records, .checkpoints = false});
    going.folder->finish(going.result);
    run = store_.reduced(going.path);
  } catch (const Error& error) {
    throw RunError(going.name + ": " + error.what());
  }
  going.finished(std::move(run));
}

void StoredRuns::run(const Arm& arm, std::uint64_t seed, const GoOn& go_on, Finished finished) {
  const auto going = std::make_shared<Going>(Going{.name = fmt::format("arm '{}', seed {}", arm.label, seed),
                                                   .path = store_.path(arm, seed),
                                                   .finished = std::move(finished)});
  const Configuration configuration = store_.configuration(arm, seed);
  if (is_there(going->path) && CheckpointFolder(going->path / "checkpoints").iterations().empty()) {
    remove_unbegun(going->path);
  }
  if (is_there(going->path)) {
    require_configuration(going->path, configuration);
    ResumedRun resumed = resume_run(going->path, {}, store_.options_.warn, arm.environment);
    going->run = std::move(resumed.run);
    going->folder = std::move(resumed.folder);
  } else {
    going->run = std::make_unique<TrainingRun>(configuration, arm.environment);
    if (store_.options_.keep.checkpoints) open(*going, {});
  }
  train(*going, go_on);
  if (!going->run->trainer().finished()) return;
  if (going->folder != nullptr) return write(*going);
  writers_[next_++ % writers_.size()].start([this, going] { write(*going); });
}

void StoredRuns::wait() {
  for (Background& writer : writers_) writer.wait();
}

}  // namespace retropg
