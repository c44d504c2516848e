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
#include "retropg/storage/examined_run.hpp"
#include "retropg/storage/file_examination.hpp"
#include "retropg/storage/result_file.hpp"
#include "retropg/storage/run_folder.hpp"
#include "retropg/storage/trained_policy.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestStatus = std::size_t{1} << 20;
constexpr int kTries = 10;
constexpr std::size_t kKept = 2;  // checkpoints that a run keeps at least
constexpr const char* kConfiguration = "config.toml";

/// Files of earlier versions have no ranges.
bool has_ranges_of(const EnvironmentDefinition& environment, const SavedPolicy& saved) {
  const auto same = [](const ActionRange& a, const ActionRange& b) { return a.low == b.low && a.high == b.high; };
  return saved.action_ranges.empty() || std::ranges::equal(saved.action_ranges, environment.action_ranges, same);
}

/// Examines one folder. Checkpoints are read before the logs, which only grow: a run may be writing both.
class Examiner {
 public:
  explicit Examiner(const Place& path) : path_(path), findings_(path), checkpoints_(path / "checkpoints") {
    result_.folder = path.path();
  }

  Examination examine() {
    examine_status();
    examine_configuration();
    examine_checkpoints();
    compare_configurations();
    decide_how_to_go_on();
    examine_logs(run_, findings_);
    examine_policies();
    examine_result();
    examine_small_files(findings_);
    examine_event_files(findings_, run_.ended());
    examine_others();
    result_.findings = findings_.list();
    result_.state = run_.state;
    return std::move(result_);
  }

 private:
  std::string checkpoint_name(Index iteration) const {
    return "checkpoints/" + checkpoints_.file(iteration).filename();
  }

  void examine_status() {
    const bool taken = FolderLock::taken(path_);
    if (taken) run_.state = RunState::kRunning;
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
        run_.state = state;
        if (word != status) result_.reason = findings_.relative(status.substr(word.size() + 2));
      }
      findings_.add("status", Severity::kFine, status);
    });
  }

  void examine_configuration() {
    findings_.attempt(kConfiguration, [&] {
      const Place file = path_ / kConfiguration;
      const Configuration read = load_run_configuration(file);
      const std::string text = read_file(file), whole = to_toml(read);
      run_.configuration = read;
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
    std::vector<Index> iterations;
    try {
      iterations = checkpoints_.iterations();
    } catch (const Error& error) {
      return findings_.add_damage("checkpoints", error.what());
    }
    if (iterations.empty() && run_.state == RunState::kDone && !findings_.has("checkpoints")) {
      findings_.add("checkpoints", Severity::kFine, "were not kept; the run is done, but cannot be made longer");
    } else if (iterations.empty()) {
      findings_.add("checkpoints", Severity::kDamaged, "holds no checkpoint");
    } else {
      run_.newest = iterations.front();
    }
    for (const Index iteration : iterations) {
      const std::string name = checkpoint_name(iteration);
      try {
        Checkpoint checkpoint = checkpoints_.load(iteration);
        checkpoint.state = {};  // a window may be large
        findings_.add(name, Severity::kFine,
                      fmt::format("whole, with {} batches of the window", checkpoint.window.sizes.size()));
        run_.stored.push_back(std::move(checkpoint));
      } catch (const std::exception& error) {
        if (run_.running() && !findings_.has(name)) continue;  // a newer one took its place in the meantime
        unusable_.push_back(error.what());
        if (run_.stored.size() >= kKept && checkpoints_.lacks_window(iteration)) {
          findings_.add(name, Severity::kWarning, "was left over when older checkpoints were removed; does no harm");
        } else {
          findings_.add_damage(name, error.what());
        }
      }
    }
    if (iterations.size() == 1 && iterations[0] > 0) {
      findings_.add("checkpoints", Severity::kWarning, "has one checkpoint; the one before it is missing");
    }
  }

  /// Looks for keys of config.toml that were others at the newest checkpoint. If it cannot be read, that one's
  /// configuration stands in for it.
  void compare_configurations() {
    if (run_.stored.empty()) return;
    const Checkpoint& newest = run_.stored.front();
    findings_.attempt(checkpoint_name(newest.iteration), [&] {
      Configuration then;
      apply_text(then, newest.configuration, "its configuration", OldKeys::kAccept);
      if (!run_.configuration) run_.configuration = then;
      for (const std::string& key : differing_keys(*run_.configuration, then)) {
        if (may_differ_when_resumed(key)) continue;
        findings_.add(kConfiguration, Severity::kWarning,
                      fmt::format("has {} = {}, but had {} at the checkpoint after iteration {}", key,
                                  setting_text(*run_.configuration, key), setting_text(then, key), newest.iteration));
        run_.differs = true;
      }
    });
  }

  /// Restores the run as `resume_run` does. If config.toml cannot be read, the checkpoint's is used to look further.
  /// Without the environment nothing can be restored: then the newest checkpoint only has to be whole, with its logs.
  void decide_how_to_go_on() {
    result_.in_python = run_.configuration && comes_from_python(run_.configuration->env.id);
    if (result_.in_python) {
      const auto whole = std::ranges::find_if(run_.stored, [&](const auto& stored) { return has_its_logs(stored); });
      if (whole == run_.stored.end()) {
        result_.refusal = "has no checkpoint to go on from";
      } else if (readable_) {
        result_.resume_after = whole->iteration;
      }
    } else if (run_.configuration) {
      try {
        Configuration configuration = *run_.configuration;
        configuration.train.threads = 1;
        run_.training = std::make_unique<TrainingRun>(configuration);
        run_.restored = restore_newest(*run_.training, *run_.configuration, path_, [&](const std::string& warning) {
          const auto known = [&](const std::string& text) { return warning.starts_with(text); };
          if (std::ranges::none_of(unusable_, known)) findings_.add("checkpoints", Severity::kWarning, warning);
        });
      } catch (const std::exception& error) {
        result_.refusal = findings_.relative(error.what());
      }
    }
    if (!readable_) result_.refusal = "config.toml cannot be read";
    if (result_.refusal.empty()) {
      if (run_.restored) result_.resume_after = run_.restored->iteration;
    } else {
      result_.refusal += advice();
      if (run_.differs) findings_.add(kConfiguration, Severity::kDamaged, "is not that of the checkpoints");
    }
    const bool newest = run_.restored && run_.restored->iteration == run_.newest;
    if (run_.state == RunState::kDone && newest && !run_.training->trainer().finished()) {
      findings_.add("status", Severity::kWarning,
                    fmt::format("says done, but the run is not complete after iteration {}", run_.restored->iteration));
    }
  }

  bool has_its_logs(const Checkpoint& checkpoint) const {
    return std::ranges::all_of(checkpoint.logs, [&](const auto& log) {
      const std::optional<Standing> status = (path_ / log.first).status();
      return status && status->is_file && status->bytes >= log.second;
    });
  }

  std::string advice() const {
    if ((!readable_ || run_.differs) && !run_.stored.empty()) {
      return fmt::format("; the metadata 'configuration' of {} is the text of config.toml as it was: write that back",
                         checkpoint_name(run_.stored.front().iteration));
    }
    const auto older = std::ranges::find_if(run_.stored, [&](const auto& stored) { return has_its_logs(stored); });
    if (older != run_.stored.end() && older != run_.stored.begin()) {
      return fmt::format("; without {} it would go on after iteration {}",
                         checkpoint_name(run_.stored.front().iteration), older->iteration);
    }
    if (!readable_) return "";
    return fmt::format("; `retropg train --config {}` repeats the run from its beginning",
                       (path_ / kConfiguration).string());
  }

  void examine_policy(const std::string& file, Parameters at_end) {
    if (!findings_.has(file)) {
      const std::string hint = result_.resume_after ? "; `retropg resume` writes it again" : "";
      if (run_.ended()) findings_.add(file, Severity::kDamaged, "is missing" + hint);
      return;
    }
    findings_.attempt(file, [&] {
      const TrainedPolicy policy = load_policy_of_run(*run_.configuration, path_ / file);
      require(!run_.at_the_end() || std::ranges::equal(policy.saved.parameters, at_end),
              "is not the policy at the end of this run; `retropg resume` writes it again");
      require(run_.training == nullptr || has_ranges_of(run_.training->environment(), policy.saved),
              "has other ranges of actions than " + policy.saved.environment);
      findings_.add(file, Severity::kFine, "a policy for " + policy.saved.environment);
      if (result_.in_python) return;
      if (result_.evaluate.empty()) result_.evaluate = (path_ / file).path();
      if (file == output_policy()) result_.evaluate = path_.path();
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
    if (!run_.configuration) return;
    if (run_.state == RunState::kDone && !findings_.has("policy")) {  // a comparison may keep none
      if (findings_.has("checkpoints")) {
        findings_.add("policy", Severity::kWarning, "is not there; `retropg resume` writes it again");
      } else {
        findings_.add("policy", Severity::kFine, "was not kept");
      }
      return;
    }
    const auto at_end = [&](auto part) { return run_.at_the_end() ? part(run_.training->trainer()) : Parameters(); };
    examine_policy("policy/best.safetensors", at_end([](const Trainer& trainer) { return trainer.best(); }));
    examine_policy("policy/final.safetensors", at_end([](const Trainer& trainer) { return trainer.parameters(); }));
    if (const std::string& output = run_.configuration->train.output; output == "random" || output == "estimate") {
      examine_policy("policy/" + output + ".safetensors",
                     at_end([](const Trainer& trainer) { return trainer.output(); }));
    }
  }

  void examine_result() {
    constexpr const char* kResult = "result.json";
    if (run_.state != RunState::kDone && !findings_.has(kResult)) return;
    findings_.attempt(kResult, [&] {
      const std::string text = read_file(path_ / kResult, kLongestStatus);
      if (run_.state == RunState::kDone && run_.at_the_end()) {
        const Trainer& trainer = run_.training->trainer();
        RunResult expected;
        expected.iterations = run_.restored->iteration;
        expected.final_return = run_.restored->last_return;
        expected.best_return = trainer.best_return();
        expected.output_name = trainer.output_name();
        check_result(text, expected);
      }
      findings_.add(kResult, Severity::kFine, "what the run came to");
    });
  }

  void examine_others() {
    std::set<std::string> known;
    for (const Checkpoint& checkpoint : run_.stored) known.insert("checkpoints/" + checkpoint.window.file);
    examine_other_files(findings_, std::move(known), run_.running());
  }

  Place path_;
  Findings findings_;
  CheckpointFolder checkpoints_;
  Examination result_;
  ExaminedRun run_;
  bool readable_ = false;              // config.toml is
  std::vector<std::string> unusable_;  // what is wrong with checkpoints that are not whole
};

}  // namespace

bool Examination::well() const {
  return (resume_after || state == RunState::kDone) &&
         std::ranges::none_of(findings, [](const Finding& f) { return f.severity == Severity::kDamaged; });
}

bool is_run_folder(const Place& path) {
  constexpr std::array kSigns = {kConfiguration, "progress.csv", "checkpoints"};
  return std::ranges::any_of(kSigns, [&](const char* name) { return Findings(path).has(name); });
}

Examination examine_run(const Place& path) {
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
