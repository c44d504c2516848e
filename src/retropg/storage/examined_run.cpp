#include "retropg/storage/examined_run.hpp"

#include <string>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/log_examination.hpp"
#include "retropg/storage/run_log.hpp"

namespace retropg {
namespace {

std::string counted(Index count, const std::string& thing, const std::string& things) {
  return fmt::format("{} {}", count, count == 1 ? thing : things);
}

std::string counted(Index count, const std::string& thing) {
  return counted(count, thing, thing + "s");
}

class LogExaminer {
 public:
  LogExaminer(const ExaminedRun& run, Findings& findings) : run_(run), findings_(findings) {}

  void examine() {
    findings_.attempt("progress.csv", [&] {
      const LogExamination found = examine_progress(findings_.folder() / "progress.csv", marks("progress.csv"));
      iterations_ = found.lines;
      judge_log("progress.csv", found, counted(found.lines, "iteration"));
    });
    if (const Index every = run_.configuration ? run_.configuration->log.metrics : 1; every > 0) {
      findings_.attempt("metrics.jsonl", [&] {
        const LogExamination found =
            examine_metrics(findings_.folder() / "metrics.jsonl", every, marks("metrics.jsonl"));
        judge_log("metrics.jsonl", found, counted(found.lines, "line"));
      });
    }
    if (const Index every = run_.configuration ? run_.configuration->train.eval_every : 0; every > 0) {
      findings_.attempt("evaluations.csv", [&] {
        const LogExamination found =
            examine_evaluations(findings_.folder() / "evaluations.csv", every, marks("evaluations.csv"));
        const Index end = run_.at_the_end() ? run_.restored->iteration : iterations_;
        require(!found.problem.empty() || run_.state != RunState::kDone || found.iteration == end,
                fmt::format("ends with iteration {}, but the run with {}", found.iteration, end));
        judge_log("evaluations.csv", found, counted(found.lines, "evaluation"));
      });
    }
    examine_monitor_log();
    examine_evaluation_table();
    examine_timing_log();
  }

 private:
  LogMarks marks(const std::string& log) const {
    LogMarks marks;
    for (const Checkpoint& checkpoint : run_.stored) {
      if (const auto found = checkpoint.logs.find(log); found != checkpoint.logs.end()) {
        marks.emplace(found->second, LogMark{checkpoint.iteration, checkpoint.last_return});
      }
    }
    return marks;
  }

  /// A log that belongs to the checkpoints. What comes after the part that a resumed run keeps is written again.
  void judge_log(const std::string& file, const LogExamination& found, const std::string& content) {
    const bool has_kept = run_.restored && run_.restored->logs.contains(file);
    const Index kept = has_kept ? run_.restored->logs.at(file) : 0;
    if (found.problem.empty() && run_.at_the_end() && has_kept && found.bytes != kept) {
      findings_.add(file, Severity::kDamaged,
                    fmt::format("has {} bytes, but had {} when the run ended", found.bytes, kept));
    } else if (found.problem.empty()) {
      findings_.add(file, Severity::kFine, content);
    } else if (run_.running() && found.torn) {
      findings_.add(file, Severity::kFine, content + ", and one that is being written");
    } else if (!run_.ended() && has_kept && found.problem_at >= kept) {
      findings_.add(file, Severity::kWarning, found.problem + "; a resumed run writes this part again");
    } else {
      findings_.add(file, Severity::kDamaged, found.problem);
    }
  }

  void examine_monitor_log() {
    constexpr const char* kMonitor = "monitor.csv";
    const bool expected = run_.stored.empty() ? findings_.has(kMonitor) : run_.stored.front().logs.contains(kMonitor);
    if (!run_.configuration || !run_.configuration->log.monitor || !expected) return;
    findings_.attempt(kMonitor, [&] {
      const LogExamination found = examine_monitor(findings_.folder() / kMonitor, marks(kMonitor));
      if (run_.at_the_end() && found.problem.empty()) {
        const Trainer& trainer = run_.training->trainer();
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
    if (!run_.configuration || !run_.configuration->log.monitor || run_.configuration->train.eval_every == 0) return;
    const Index every = run_.configuration->train.eval_every,
                saved = run_.stored.empty() ? 0 : run_.stored.front().iteration;
    const bool done = run_.state == RunState::kDone;
    if (!findings_.has(kEvaluationTable) && !done && saved < every) return;
    findings_.attempt(kEvaluationTable, [&] {
      load_evaluations(findings_.folder(), run_.configuration->train, saved);
      const Index count =
          EvaluationTable(read_file(findings_.folder() / kEvaluationTable), run_.configuration->train.eval_episodes)
              .size();
      const Index end = run_.at_the_end() ? run_.restored->iteration : iterations_,
                  expected = (end + every - 1) / every;
      require(!done || count == expected, fmt::format("has {} evaluations; expected {}", count, expected));
      findings_.add(kEvaluationTable, Severity::kFine, counted(count, "evaluation"));
    });
  }

  void examine_timing_log() {
    findings_.attempt("timing.jsonl", [&] {
      const LogExamination found = examine_timing(findings_.folder() / "timing.jsonl");
      if (found.torn && run_.running()) {
        findings_.add("timing.jsonl", Severity::kFine,
                      counted(found.lines, "line") + ", and one that is being written");
      } else if (found.torn && !run_.ended()) {
        findings_.add("timing.jsonl", Severity::kWarning, found.problem + ", which a resumed run cuts off");
      } else {
        require(found.problem.empty(), found.problem);
        if (run_.at_the_end() &&
            (found.iteration != run_.restored->iteration || found.steps != run_.training->trainer().steps())) {
          throw Error(fmt::format("ends with iteration {} and {} steps, but the run with {} and {}", found.iteration,
                                  found.steps, run_.restored->iteration, run_.training->trainer().steps()));
        }
        require(run_.state != RunState::kDone || run_.restored || found.iteration == iterations_,
                fmt::format("ends with iteration {}, but progress.csv with {}", found.iteration, iterations_));
        findings_.add("timing.jsonl", Severity::kFine, counted(found.lines, "line"));
      }
    });
  }

  const ExaminedRun& run_;
  Findings& findings_;
  Index iterations_ = 0;  // lines of progress.csv
};

}  // namespace

void examine_logs(const ExaminedRun& run, Findings& findings) {
  LogExaminer(run, findings).examine();
}

}  // namespace retropg
