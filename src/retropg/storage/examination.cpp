#include "retropg/storage/examination.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/file_examination.hpp"
#include "retropg/storage/log_examination.hpp"
#include "retropg/storage/result_file.hpp"
#include "retropg/storage/run_folder.hpp"
#include "retropg/storage/trained_policy.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestStatus = std::size_t{1} << 20;
constexpr int kTries = 3;
constexpr const char* kConfiguration = "config.toml";

std::string counted(Index count, const std::string& thing, const std::string& things) {
  return fmt::format("{} {}", count, count == 1 ? thing : things);
}

std::string counted(Index count, const std::string& thing) {
  return counted(count, thing, thing + "s");
}

/// Examines one folder. Checkpoints are read before the logs, which only grow: a run may be writing both.
class Examiner {
 public:
  explicit Examiner(const std::filesystem::path& path)
      : path_(path), findings_(path), checkpoints_(path / "checkpoints") {
    result_.folder = path;
  }

  Examination examine() {
    examine_status();
    examine_configuration();
    examine_checkpoints();
    compare_configurations();
    decide_how_to_go_on();
    examine_logs();
    examine_policies();
    examine_result();
    examine_small_files(findings_);
    examine_event_files(findings_, ended());
    examine_others();
    result_.findings = findings_.list();
    return std::move(result_);
  }

 private:
  /// The run was ended by itself or by a signal it knows, so that its last files belong together.
  bool ended() const { return result_.state == RunState::kDone || result_.state == RunState::kInterrupted; }
  bool running() const { return result_.state == RunState::kRunning; }
  /// The run has the state in which it ended, and was not made longer since.
  bool at_the_end() const { return ended() && restored_ && restored_->iteration == newest_ && !differs_; }
  std::string checkpoint_name(Index iteration) const {
    return "checkpoints/" + checkpoints_.file(iteration).filename().string();
  }

  void examine_status() {
    const bool taken = FolderLock::taken(path_);
    if (taken) result_.state = RunState::kRunning;
    findings_.attempt("status", [&] {
      const std::string text = read_file(path_ / "status", kLongestStatus);
      require(text.ends_with('\n'), "is cut: it does not end with a line end");
      const std::string status = text.substr(0, text.size() - 1);
      const std::string word = status.substr(0, status.find(": "));
      const RunState state = status == "running"     ? RunState::kKilled
                             : status == "done"      ? RunState::kDone
                             : word == "interrupted" ? RunState::kInterrupted
                             : word == "failed"      ? RunState::kFailed
                                                     : RunState::kUnknown;
      require(state != RunState::kUnknown, "is unknown: '" + status + "'");
      if (!taken) {
        result_.state = state;
        if (word != status) result_.reason = findings_.relative(status.substr(word.size() + 2));
      }
      findings_.add("status", Severity::kFine, status);
    });
  }

  void examine_configuration() {
    findings_.attempt(kConfiguration, [&] {
      const std::filesystem::path file = path_ / kConfiguration;
      const Configuration read = load_run_configuration(file);
      const std::string text = read_file(file), whole = to_toml(read);
      configuration_ = read;
      readable_ = true;
      if (text == whole) {
        findings_.add(kConfiguration, Severity::kFine, "complete");
      } else if (whole.starts_with(text)) {
        findings_.add(kConfiguration, Severity::kDamaged,
                      fmt::format("is cut after {} bytes: keys are missing", text.size()));
      } else {
        findings_.add(kConfiguration, Severity::kWarning,
                      "is not as the program writes it: edited, or of an earlier version");
      }
    });
  }

  void examine_checkpoints() {
    const std::vector<Index> iterations = checkpoints_.iterations();
    if (iterations.empty() && result_.state == RunState::kDone && !findings_.has("checkpoints")) {
      findings_.add("checkpoints", Severity::kFine, "were not kept; the run is done, but cannot be made longer");
    } else if (iterations.empty()) {
      findings_.add("checkpoints", Severity::kDamaged, "holds no checkpoint");
    } else {
      newest_ = iterations.front();
    }
    for (const Index iteration : iterations) {
      const std::string name = checkpoint_name(iteration);
      try {
        Checkpoint checkpoint = checkpoints_.load(iteration);
        checkpoint.state = {};  // a window may be large
        findings_.add(name, Severity::kFine,
                      fmt::format("whole, with {} batches of the window", checkpoint.window.sizes.size()));
        stored_.push_back(std::move(checkpoint));
      } catch (const std::exception& error) {
        unusable_.push_back(error.what());
        findings_.add_damage(name, error.what());
      }
    }
    if (iterations.size() == 1 && iterations[0] > 0) {
      findings_.add("checkpoints", Severity::kWarning, "has one checkpoint; the one before it is missing");
    }
  }

  /// Looks for keys of config.toml that were others at the newest checkpoint. If it cannot be read, that one's
  /// configuration stands in for it.
  void compare_configurations() {
    if (stored_.empty()) return;
    const Checkpoint& newest = stored_.front();
    findings_.attempt(checkpoint_name(newest.iteration), [&] {
      Configuration then;
      apply_text(then, newest.configuration, "its configuration", OldKeys::kAccept);
      if (!configuration_) configuration_ = then;
      for (const std::string& key : differing_keys(*configuration_, then)) {
        if (may_differ_when_resumed(key)) continue;
        findings_.add(kConfiguration, Severity::kWarning,
                      fmt::format("has {} = {}, but had {} at the checkpoint after iteration {}", key,
                                  setting_text(*configuration_, key), setting_text(then, key), newest.iteration));
        differs_ = true;
      }
    });
  }

  /// Restores the run as `resume_run` does. If config.toml cannot be read, the checkpoint's is used to look further.
  /// Without the environment nothing can be restored: then the newest checkpoint only has to be whole, with its logs.
  void decide_how_to_go_on() {
    result_.in_python =
        configuration_ && comes_from_python(configuration_->env.id) && !has_environment(configuration_->env.id);
    if (result_.in_python) {
      const auto whole = std::ranges::find_if(stored_, [&](const auto& stored) { return has_its_logs(stored); });
      if (whole == stored_.end()) {
        result_.refusal = "has no checkpoint to go on from";
      } else if (readable_) {
        result_.resume_after = whole->iteration;
      }
    } else if (configuration_) {
      try {
        Configuration configuration = *configuration_;
        configuration.train.threads = 1;
        run_ = std::make_unique<TrainingRun>(configuration);
        restored_ = restore_newest(*run_, *configuration_, path_, [&](const std::string& warning) {
          const auto known = [&](const std::string& text) { return warning.starts_with(text); };
          if (std::ranges::none_of(unusable_, known)) findings_.add("checkpoints", Severity::kWarning, warning);
        });
      } catch (const std::exception& error) {
        result_.refusal = findings_.relative(error.what());
      }
    }
    if (!readable_) result_.refusal = "config.toml cannot be read";
    if (result_.refusal.empty()) {
      if (restored_) result_.resume_after = restored_->iteration;
    } else {
      result_.refusal += advice();
      if (differs_) findings_.add(kConfiguration, Severity::kDamaged, "is not that of the checkpoints");
    }
    const bool newest = restored_ && restored_->iteration == newest_;
    if (result_.state == RunState::kDone && newest && !run_->trainer().finished()) {
      findings_.add("status", Severity::kWarning,
                    fmt::format("says done, but the run is not complete after iteration {}", restored_->iteration));
    }
  }

  bool has_its_logs(const Checkpoint& checkpoint) const {
    return std::ranges::all_of(checkpoint.logs, [&](const auto& log) {
      std::error_code error;
      const auto size = std::filesystem::file_size(path_ / log.first, error);
      return !error && size >= as_size(log.second);
    });
  }

  std::string advice() const {
    if ((!readable_ || differs_) && !stored_.empty()) {
      return fmt::format("; the metadata 'configuration' of {} is the text of config.toml as it was: write that back",
                         checkpoint_name(stored_.front().iteration));
    }
    const auto older = std::ranges::find_if(stored_, [&](const auto& stored) { return has_its_logs(stored); });
    if (older != stored_.end() && older != stored_.begin()) {
      return fmt::format("; without {} it would go on after iteration {}", checkpoint_name(stored_.front().iteration),
                         older->iteration);
    }
    if (!readable_) return "";
    return fmt::format("; `retropg train --config {}` repeats the run from its beginning",
                       (path_ / kConfiguration).string());
  }

  LogMarks marks(const std::string& log) const {
    LogMarks marks;
    for (const Checkpoint& checkpoint : stored_) {
      if (const auto found = checkpoint.logs.find(log); found != checkpoint.logs.end()) {
        marks.emplace(found->second, LogMark{checkpoint.iteration, checkpoint.last_return});
      }
    }
    return marks;
  }

  /// A log that belongs to the checkpoints. What comes after the part that a resumed run keeps is written again.
  void judge_log(const std::string& file, const LogExamination& found, const std::string& content) {
    const bool has_kept = restored_ && restored_->logs.contains(file);
    const Index kept = has_kept ? restored_->logs.at(file) : 0;
    if (found.problem.empty() && at_the_end() && has_kept && found.bytes != kept) {
      findings_.add(file, Severity::kDamaged,
                    fmt::format("has {} bytes, but had {} when the run ended", found.bytes, kept));
    } else if (found.problem.empty()) {
      findings_.add(file, Severity::kFine, content);
    } else if (running() && found.torn) {
      findings_.add(file, Severity::kFine, content + ", and one that is being written");
    } else if (!ended() && has_kept && found.problem_at >= kept) {
      findings_.add(file, Severity::kWarning, found.problem + "; a resumed run writes this part again");
    } else {
      findings_.add(file, Severity::kDamaged, found.problem);
    }
  }

  void examine_logs() {
    findings_.attempt("progress.csv", [&] {
      const LogExamination found = examine_progress(path_ / "progress.csv", marks("progress.csv"));
      iterations_ = found.lines;
      judge_log("progress.csv", found, counted(found.lines, "iteration"));
    });
    if (const Index every = configuration_ ? configuration_->log.metrics : 1; every > 0) {
      findings_.attempt("metrics.jsonl", [&] {
        const LogExamination found = examine_metrics(path_ / "metrics.jsonl", every, marks("metrics.jsonl"));
        judge_log("metrics.jsonl", found, counted(found.lines, "line"));
      });
    }
    if (const Index every = configuration_ ? configuration_->train.eval_every : 0; every > 0) {
      findings_.attempt("evaluations.csv", [&] {
        const LogExamination found = examine_evaluations(path_ / "evaluations.csv", every, marks("evaluations.csv"));
        const Index end = at_the_end() ? restored_->iteration : iterations_;
        require(!found.problem.empty() || result_.state != RunState::kDone || found.iteration == end,
                fmt::format("ends with iteration {}, but the run with {}", found.iteration, end));
        judge_log("evaluations.csv", found, counted(found.lines, "evaluation"));
      });
    }
    examine_monitor_log();
    examine_evaluation_table();
    examine_timing_log();
  }

  void examine_monitor_log() {
    constexpr const char* kMonitor = "monitor.csv";
    const bool expected = stored_.empty() ? findings_.has(kMonitor) : stored_.front().logs.contains(kMonitor);
    if (!configuration_ || !configuration_->log.monitor || !expected) return;
    findings_.attempt(kMonitor, [&] {
      const LogExamination found = examine_monitor(path_ / kMonitor, marks(kMonitor));
      if (at_the_end() && found.problem.empty()) {
        const Trainer& trainer = run_->trainer();
        const Index pilots = trainer.pilot().empty() ? 0 : 1, others = trainer.dropped() + pilots;
        require(found.lines == trainer.trajectories() - others,
                fmt::format("has {} trajectories, but the run {}", found.lines, trainer.trajectories() - others));
        require(others > 0 || found.steps == trainer.steps(),
                fmt::format("has {} steps, but the run {}", found.steps, trainer.steps()));
      }
      judge_log(kMonitor, found, counted(found.lines, "trajectory", "trajectories"));
    });
  }

  void examine_evaluation_table() {
    if (!configuration_ || !configuration_->log.monitor || configuration_->train.eval_every == 0) return;
    const Index every = configuration_->train.eval_every, saved = stored_.empty() ? 0 : stored_.front().iteration;
    const bool done = result_.state == RunState::kDone;
    if (!findings_.has(kEvaluationTable) && !done && saved < every) return;
    findings_.attempt(kEvaluationTable, [&] {
      load_evaluations(path_, configuration_->train, saved);
      const Index count =
          EvaluationTable(read_file(path_ / kEvaluationTable), configuration_->train.eval_episodes).size();
      const Index end = at_the_end() ? restored_->iteration : iterations_, expected = (end + every - 1) / every;
      require(!done || count == expected, fmt::format("has {} evaluations; expected {}", count, expected));
      findings_.add(kEvaluationTable, Severity::kFine, counted(count, "evaluation"));
    });
  }

  void examine_timing_log() {
    findings_.attempt("timing.jsonl", [&] {
      const LogExamination found = examine_timing(path_ / "timing.jsonl");
      if (found.torn && running()) {
        findings_.add("timing.jsonl", Severity::kFine,
                      counted(found.lines, "line") + ", and one that is being written");
      } else if (found.torn && !ended()) {
        findings_.add("timing.jsonl", Severity::kWarning, found.problem + ", which a resumed run cuts off");
      } else {
        require(found.problem.empty(), found.problem);
        if (at_the_end() && (found.iteration != restored_->iteration || found.steps != run_->trainer().steps())) {
          throw Error(fmt::format("ends with iteration {} and {} steps, but the run with {} and {}", found.iteration,
                                  found.steps, restored_->iteration, run_->trainer().steps()));
        }
        require(result_.state != RunState::kDone || restored_ || found.iteration == iterations_,
                fmt::format("ends with iteration {}, but progress.csv with {}", found.iteration, iterations_));
        findings_.add("timing.jsonl", Severity::kFine, counted(found.lines, "line"));
      }
    });
  }

  void examine_policy(const std::string& file, Parameters at_end) {
    if (!findings_.has(file)) {
      const std::string hint = result_.resume_after ? "; `retropg resume` writes it again" : "";
      if (ended()) findings_.add(file, Severity::kDamaged, "is missing" + hint);
      return;
    }
    findings_.attempt(file, [&] {
      const TrainedPolicy policy = load_policy_of_run(*configuration_, path_ / file);
      require(!at_the_end() || std::ranges::equal(policy.saved.parameters, at_end),
              "is not the policy at the end of this run; `retropg resume` writes it again");
      findings_.add(file, Severity::kFine, "a policy for " + policy.saved.environment);
      if (result_.in_python) return;
      if (result_.evaluate.empty()) result_.evaluate = path_ / file;
      if (file == output_policy()) result_.evaluate = path_;
    });
  }

  /// The file that `retropg eval` takes from this folder; empty if it takes none.
  std::string output_policy() const {
    try {
      return "policy/" + load_trained_policy(path_).file.filename().string();
    } catch (const std::exception&) {
      return "";
    }
  }

  void examine_policies() {
    if (!configuration_) return;
    if (result_.state == RunState::kDone && !findings_.has("policy")) {  // a comparison may keep none
      if (findings_.has("checkpoints")) {
        findings_.add("policy", Severity::kWarning, "is not there; `retropg resume` writes it again");
      } else {
        findings_.add("policy", Severity::kFine, "was not kept");
      }
      return;
    }
    const auto at_end = [&](auto part) { return at_the_end() ? part(run_->trainer()) : Parameters(); };
    examine_policy("policy/best.safetensors", at_end([](const Trainer& trainer) { return trainer.best(); }));
    examine_policy("policy/final.safetensors", at_end([](const Trainer& trainer) { return trainer.parameters(); }));
    if (const std::string& output = configuration_->train.output; output == "random" || output == "estimate") {
      examine_policy("policy/" + output + ".safetensors",
                     at_end([](const Trainer& trainer) { return trainer.output(); }));
    }
  }

  void examine_result() {
    constexpr const char* kResult = "result.json";
    if (result_.state != RunState::kDone && !findings_.has(kResult)) return;
    findings_.attempt(kResult, [&] {
      const std::string text = read_file(path_ / kResult, kLongestStatus);
      if (result_.state == RunState::kDone && at_the_end()) {
        const Trainer& trainer = run_->trainer();
        RunResult expected;
        expected.iterations = restored_->iteration;
        expected.final_return = restored_->last_return;
        expected.best_return = trainer.best_return();
        expected.output_name = trainer.output_name();
        check_result(text, expected);
      }
      findings_.add(kResult, Severity::kFine, "what the run came to");
    });
  }

  void examine_others() {
    std::set<std::string> known;
    for (const Checkpoint& checkpoint : stored_) known.insert("checkpoints/" + checkpoint.window.file);
    examine_other_files(findings_, std::move(known), running());
  }

  std::filesystem::path path_;
  Findings findings_;
  CheckpointFolder checkpoints_;
  Examination result_;
  std::optional<Configuration> configuration_;  // of config.toml, else of the newest checkpoint
  bool readable_ = false;                       // config.toml is
  bool differs_ = false;                        // it is not that of the newest whole checkpoint
  Index newest_ = -1;                           // iteration of the newest checkpoint, whole or not
  std::vector<Checkpoint> stored_;              // whole ones, newest first, without state
  std::vector<std::string> unusable_;           // what is wrong with the others
  std::unique_ptr<TrainingRun> run_;
  std::optional<Checkpoint> restored_;  // whose state the run has
  Index iterations_ = 0;                // lines of progress.csv
};

}  // namespace

bool Examination::well() const {
  return (resume_after || state == RunState::kDone) &&
         std::ranges::none_of(findings, [](const Finding& f) { return f.severity == Severity::kDamaged; });
}

bool is_run_folder(const std::filesystem::path& path) {
  constexpr std::array kSigns = {kConfiguration, "progress.csv", "checkpoints"};
  return std::ranges::any_of(kSigns, [&](const char* name) { return Findings(path).has(name); });
}

Examination examine_run(const std::filesystem::path& path) {
  require(is_run_folder(path), path.string() + ": is not a run folder");
  Examination result = Examiner(path).examine();
  // A run under way replaces checkpoints while they are being read.
  for (int i = 1; i < kTries && result.state == RunState::kRunning && !result.well(); ++i) {
    result = Examiner(path).examine();
  }
  return result;
}

std::string name_of(RunState state) {
  switch (state) {
    case RunState::kRunning: return "running";
    case RunState::kKilled: return "killed";
    case RunState::kDone: return "done";
    case RunState::kInterrupted: return "interrupted";
    case RunState::kFailed: return "failed";
    case RunState::kUnknown: return "unknown";
  }
  return "";
}

}  // namespace retropg
