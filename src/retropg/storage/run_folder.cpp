#include "retropg/storage/run_folder.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/core/version.hpp"
#include "retropg/kernels/simd.hpp"
#include "retropg/storage/failure_file.hpp"
#include "retropg/storage/policy_file.hpp"
#include "retropg/storage/provenance.hpp"
#include "retropg/storage/result_file.hpp"

namespace retropg {
namespace {

constexpr std::chrono::seconds kFlushInterval{1};
constexpr double kLargestShare = 0.01;                        // of the time that checkpoints or the best policy take
constexpr std::size_t kMostWaiting = std::size_t{256} << 20;  // bytes of lines that cannot be written

constexpr const char* kTiming = "timing.jsonl";
constexpr const char* kFailure = "failure.safetensors";
constexpr const char* kResult = "result.json";

using Clock = std::chrono::steady_clock;

/// When to write again what was begun then: after some seconds, or later if writing takes long.
Clock::time_point after(Clock::time_point begin, double seconds) {
  const Clock::time_point now = Clock::now();
  const double cost = std::chrono::duration<double>(now - begin).count();
  const std::chrono::duration<double> wait(std::min(std::max(seconds, cost / kLargestShare), 1e9));
  return now + std::chrono::duration_cast<Clock::duration>(wait);
}

/// The bytes up to the last end of line: a kill may have torn the last one.
std::size_t whole_lines(const Place& path) {
  const std::string text = read_file(path);
  const std::size_t end = text.rfind('\n');
  return end == std::string::npos ? 0 : end + 1;
}

std::unique_ptr<LogFile> continued_timing(const Place& path) {
  return is_there(path) ? std::make_unique<LogFile>(path, whole_lines(path)) : std::make_unique<LogFile>(path);
}

Place opened_new(const Place& folder) {
  try {
    return folder.opened();
  } catch (const Error&) {
    remove_folder(folder);
    throw;
  }
}

FolderLock lock_new(const Place& folder) {
  try {
    return FolderLock(folder);
  } catch (const Error&) {
    remove_folder(folder);
    throw;
  }
}

}  // namespace

std::string run_name(const Configuration& configuration) {
  return fmt::format("{}__{}__{}", configuration.env.id, configuration.algo.name, configuration.train.seed);
}

RunFolder::RunFolder(const Place& folder, TrainingRun& run, const std::string& command, Warn warn,
                     const RunSoFar& so_far)
    : path_(opened_new(folder)),
      run_(run),
      warn_(std::move(warn)),
      lock_(lock_new(path_)),
      ends_with_checkpoint_(so_far.checkpoints),
      checkpoints_(path_ / "checkpoints"),
      start_(Clock::now()),
      next_flush_(start_ + kFlushInterval),
      next_checkpoint_(after(start_, run.configuration().checkpoint.seconds)),
      seconds_before_(so_far.seconds),
      best_saved_(-std::numeric_limits<double>::infinity()) {
  try {
    write_file(path_ / "config.toml", to_toml(run_.configuration()));
    if (!command.empty()) write_file(path_ / "command.txt", command + "\n");
    write_file(path_ / "provenance.json", provenance_json());
    make_folder(path_ / "policy");
    if (so_far.checkpoints) {
      set_status("running");
      make_folder(path_ / "checkpoints");
    }
    log_ = std::make_unique<RunLog>(path_, run_.configuration());
    timing_ = std::make_unique<LogFile>(path_ / kTiming);
    sync_folder(path_);
    log_->add(so_far.records, so_far.seconds);
    if (!so_far.records.empty()) last_return_ = so_far.records.back().return_mean;
    if (so_far.checkpoints) checkpoint();  // a run that stops early continues from here
    start_ = Clock::now();
  } catch (...) {
    remove_folder(folder);
    throw;
  }
}

RunFolder::RunFolder(const Place& folder, TrainingRun& run, CheckpointFolder checkpoints, const Checkpoint& from,
                     FolderLock lock, Warn warn)
    : path_(folder.opened()),
      run_(run),
      warn_(std::move(warn)),
      lock_(std::move(lock)),
      checkpoints_(std::move(checkpoints)),
      log_(std::make_unique<RunLog>(path_, run.configuration(),
                                    LogsSoFar{.lengths = from.logs,
                                              .iteration = from.iteration,
                                              .steps = run.trainer().steps(),
                                              .seconds = from.seconds})),
      timing_(continued_timing(path_ / kTiming)),
      start_(Clock::now()),
      next_flush_(start_ + kFlushInterval),
      next_checkpoint_(after(start_, run.configuration().checkpoint.seconds)),
      seconds_before_(from.seconds),
      last_return_(from.last_return),
      best_saved_(-std::numeric_limits<double>::infinity()) {
  need_folder(path_ / "policy");
  remove_file(path_ / kFailure);
  remove_file(path_ / kResult);
  write_file(path_ / "provenance.json", resumed_provenance_json(path_ / "provenance.json", from.iteration));
  set_status("running");
}

RunFolder::~RunFolder() {
  try {
    log_->flush();  // what is left after `finish` or `fail` is nothing, otherwise as much as possible
  } catch (...) {
  }
}

double RunFolder::seconds_at(Clock::time_point time) const {
  return seconds_before_ + std::chrono::duration<double>(time - start_).count();
}

void RunFolder::set_status(const std::string& text) {
  write_file(path_ / "status", text + "\n");
}

void RunFolder::save_policy_file(const char* name, Parameters theta) {
  save_policy(path_ / "policy" / name, saved_policy(run_.policy_configuration(), run_.environment(), theta));
}

void RunFolder::save_best() {
  const Trainer& trainer = run_.trainer();
  if (trainer.best_return() <= best_saved_) return;
  const Clock::time_point begin = Clock::now();
  save_policy_file("best.safetensors", trainer.best());
  best_saved_ = trainer.best_return();
  next_best_ = after(begin, 0.0);
}

void RunFolder::save_evaluations() {
  const Clock::time_point begin = Clock::now();
  log_->save_evaluations();
  next_table_ = after(begin, 0.0);
}

void RunFolder::add_timing(double seconds) {
  fmt::format_to(std::back_inserter(timing_->lines()),
                 FMT_COMPILE("{{\"iteration\":{},\"steps\":{},\"seconds\":{:.6f}}}\n"), run_.trainer().iteration() - 1,
                 run_.trainer().steps(), seconds);
}

/// Warns once about what cannot be written: the run goes on, and it is tried again later.
template <typename Work>
bool RunFolder::attempt(const Work& work) {
  try {
    work();
    return true;
  } catch (const RunError& error) {
    if (!warned_) warn_(std::string(error.what()) + "; the run goes on and will try again");
    warned_ = true;
    return false;
  }
}

void RunFolder::flush() {
  const bool written = attempt([&] { log_->flush(); });
  if (!written && log_->waiting() > kMostWaiting) {
    throw RunError(path_.string() + ": too many lines could not be written; free some space and resume the run");
  }
  add_timing(seconds_at(Clock::now()));
  attempt([&] { timing_->flush(); });
  if (Clock::now() >= next_best_) attempt([&] { save_best(); });
  if (Clock::now() >= next_table_) attempt([&] { save_evaluations(); });
  next_flush_ = Clock::now() + kFlushInterval;
}

void RunFolder::checkpoint() {
  const Clock::time_point begin = Clock::now();
  log_->sync();  // first: a checkpoint counts on the lines before it
  Trainer& trainer = run_.trainer();
  Archive archive = Archive::saving_from(checkpoints_.stored());
  trainer.state(archive);
  checkpoints_.save({.configuration = to_toml(run_.configuration()),
                     .version = version(),
                     .simd = kernels::active_target(),
                     .iteration = trainer.iteration() - 1,
                     .may_be_cut = trainer.budget_may_have_cut(),
                     .seconds = seconds_at(Clock::now()),
                     .last_return = last_return_,
                     .logs = log_->lengths(),
                     .window = {},
                     .state = {}},
                    archive);
  next_checkpoint_ = after(begin, run_.configuration().checkpoint.seconds);
}

void RunFolder::try_checkpoint() {
  next_checkpoint_ = Clock::now() + std::chrono::seconds(10);  // if it fails
  attempt([&] { checkpoint(); });
}

void RunFolder::save() {
  flush();
  try_checkpoint();
}

void RunFolder::record(const IterationRecord& record) {
  const Clock::time_point now = Clock::now();
  log_->add(record, seconds_at(now));
  last_return_ = record.return_mean;
  if (now >= next_flush_) flush();
  const CheckpointSettings& settings = run_.configuration().checkpoint;
  const Trainer& trainer = run_.trainer();
  if ((settings.seconds > 0.0 && now >= next_checkpoint_) ||
      (settings.every > 0 && record.iteration % settings.every == 0) ||
      (trainer.budget_may_cut() && !trainer.budget_may_have_cut())) {  // from here a larger budget can go on
    try_checkpoint();
  }
}

void RunFolder::add(std::span<const IterationRecord> records) {
  log_->add(records, seconds_before_);
  if (!records.empty()) last_return_ = records.back().return_mean;
}

void RunFolder::finish(const RunResult& result, const std::string& interrupted_by) {
  std::string problem;
  const auto try_to = [&](const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      if (problem.empty()) problem = error.what();
    }
  };
  // Policies first: they are what the run is for.
  std::vector<std::pair<const char*, Parameters>> unsaved = {{"best.safetensors", result.best},
                                                             {"final.safetensors", result.last}};
  const std::string& output = run_.configuration().train.output;
  const std::string file = output + ".safetensors";
  if (output == "random" || output == "estimate") unsaved.emplace_back(file.c_str(), result.output);
  std::erase_if(unsaved, [&](const auto& policy) {
    try {
      save_policy_file(policy.first, policy.second);
      return true;
    } catch (const RunError&) {
      return false;
    }
  });
  add_timing(result.seconds);
  try_to([&] { timing_->sync(); });
  try_to([&] { ends_with_checkpoint_ ? checkpoint() : log_->sync(); });
  if (result.last_evaluation) {
    RunResult evaluated = result;
    evaluated.trajectories = run_.trainer().trajectories();  // without the final episodes, which came later
    evaluated.steps = run_.trainer().steps();
    log_->add_last_evaluation(evaluated);
    try_to([&] { log_->sync(); });
  }
  for (const auto& [name, theta] : unsaved) {  // the error may have passed, and older checkpoints made room
    try_to([&, name = name, theta = theta] { save_policy_file(name, theta); });
  }
  if (interrupted_by.empty()) {
    RunResult whole = result;
    whole.final_return = last_return_;  // also if this process only wrote the end
    try_to([&] { write_file(path_ / kResult, result_json(whole)); });
  }
  try_to([&] {
    set_status(!problem.empty()         ? "failed: " + problem
               : interrupted_by.empty() ? "done"
                                        : "interrupted: " + interrupted_by);
  });
  if (!problem.empty()) throw RunError(problem);
}

void RunFolder::fail(const std::exception& reason) noexcept {
  const auto try_to = [](const auto& work) {
    try {
      work();
    } catch (...) {  // the reason for the failure is what counts
    }
  };
  try_to([&] { save_best(); });
  try_to([&] { log_->sync(); });
  try_to([&] { timing_->flush(); });
  if (const auto* broken = dynamic_cast<const BrokenTrajectory*>(&reason)) {
    try_to([&] { save_failure(path_ / kFailure, *broken, run_.configuration().train.seed); });
  }
  try_to([&] { set_status(std::string("failed: ") + reason.what()); });
}

}  // namespace retropg
