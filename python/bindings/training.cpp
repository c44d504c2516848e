#include "interpreter.hpp"
#include "training.hpp"

#include <fmt/format.h>

#include "interrupts.hpp"
#include "log.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/experiment/preset_line.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/output_folder.hpp"
#include "retropg/training/advice.hpp"
#include "setting_values.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kProgress{100};

/// Calls Python after an iteration; false stops the run.
class Watch {
 public:
  Watch(const std::optional<nb::callable>& callback, const std::optional<nb::callable>& progress,
        RunInterrupts& interrupts)
      : callback_(callback), progress_(progress), interrupts_(interrupts) {}

  bool operator()(const IterationRecord& record) {
    const bool shown = progress_ && Clock::now() >= next_;
    if (!callback_ && !shown) return !interrupts_.pending();
    return with_python([&] { return see(record, shown); });
  }

 private:
  bool see(const IterationRecord& record, bool shown) {
    try {
      const nb::object seen = nb::cast(record);
      if (shown) (*progress_)(seen);
      if (shown) next_ = Clock::now() + kProgress;
      if (callback_ && (*callback_)(seen).is(Py_False)) return false;
    } catch (nb::python_error& error) {
      interrupts_.raise(std::move(error));
      return false;
    }
    return !interrupts_.pending_with_lock();
  }

  using Clock = std::chrono::steady_clock;
  const std::optional<nb::callable>& callback_;
  const std::optional<nb::callable>& progress_;
  RunInterrupts& interrupts_;
  Clock::time_point next_;
};

/// As it is written into the status of the folder.
std::string reason(const RunInterrupts& interrupts) {
  if (!interrupts.any() && !python_ends()) return "callback";
  return with_python([&] { return interrupts.reason(); });
}

}  // namespace

Training::Training(const Given& given, const std::shared_ptr<GymSource>& environment) {
  const Configuration configuration = resolve(given);
  run_ = std::make_unique<TrainingRun>(configuration, definition(environment, configuration));
  require_effect(given_settings(given), run_->configuration());
  log_info(preset_line(preset_kind(given), run_->configuration(), kNoPreset));
}

Training::Training(const std::string& path, const ResumeChanges& changes,
                   const std::shared_ptr<GymSource>& environment) {
  std::optional<EnvironmentDefinition> handed_over;
  if (environment != nullptr) {
    handed_over = definition(environment, load_run_configuration(std::filesystem::path(path) / "config.toml"));
  }
  ResumedRun resumed = resume_run(path, changes, log_warning, handed_over);
  run_ = std::move(resumed.run);
  folder_ = std::move(resumed.folder);
}

void Training::open(const std::string& path, const std::string& command) {
  make_output_folder(path);
  folder_ = std::make_unique<RunFolder>(path, *run_, command, log_warning);
}

void Training::train(const std::optional<nb::callable>& callback, const std::optional<nb::callable>& progress) {
  RunInterrupts interrupts;
  {
    const Unlocked unlocked;
    Watch watch(callback, progress, interrupts);
    Advice advice(has_effect(configuration(), "optimizer.rate"));
    const std::unique_ptr<RunFolder> folder = std::move(folder_);  // unlocked at the end, whatever happens
    if (!folder) keep_extendable();
    try {
      result_ = run_->train([&](const IterationRecord& record) {
        if (folder) {
          folder->record(record);
        } else {
          records_.push_back(record);
          keep_extendable();
        }
        if (!record.diagnostics.notice.empty()) {
          log_warning(fmt::format("iteration {}: {}", record.iteration, record.diagnostics.notice));
        }
        if (const std::optional<std::string> line = advice.see(record)) log_warning(*line);
        return watch(record);
      });
      result_.interrupted = !finished();
    } catch (const Interrupted&) {  // in the pilot or in the episodes after the last iteration
      result_ = result_so_far(run_->trainer());
      result_.output_return = {};
      result_.interrupted = true;
    } catch (const std::exception& error) {
      if (folder) folder->fail(error);
      throw;
    }
    if (result_.interrupted) interrupted_by_ = reason(interrupts);
    if (folder) {
      result_.seconds += folder->seconds_before();
      result_.final_return = folder->last_return();
      folder->finish(result_, interrupted_by_);
    }
  }
  interrupts.rethrow();
}

ActingPolicy Training::policy(const std::string& which) const {
  require(which == "returned" || which == "best" || which == "final",
          "policy must be returned, best or final, not '" + which + "'");
  const std::vector<double>& theta = which == "best" ? result_.best : which == "final" ? result_.last : result_.output;
  return ActingPolicy(run_->policy_configuration(), run_->environment(), theta);
}

void Training::keep_extendable() {
  Trainer& trainer = run_->trainer();
  if (!trainer.budget_may_cut() || trainer.budget_may_have_cut()) return;
  Archive archive(Archive::Mode::kSave);
  trainer.state(archive);
  extendable_ = archive.state();
  extendable_records_ = records_.size();
}

void Training::save(const std::string& path, const std::string& command) {
  make_output_folder(path);
  const std::span<const IterationRecord> records = records_;
  if (!extendable_) {
    RunFolder folder(path, *run_, command, log_warning, {.records = records, .seconds = result_.seconds});
    folder.finish(result_, interrupted_by_);
    return;
  }
  Trainer& trainer = run_->trainer();
  Archive last(Archive::Mode::kSave);
  trainer.state(last);
  const auto restore = [&trainer](const SavedState& state) {
    Archive archive(state);
    trainer.state(archive);
  };
  restore(*extendable_);
  try {
    RunFolder folder(path, *run_, command, log_warning,
                     {.records = records.first(extendable_records_), .seconds = result_.seconds});
    restore(last.state());
    folder.add(records.subspan(extendable_records_));
    folder.finish(result_, interrupted_by_);
  } catch (...) {
    restore(last.state());
    throw;
  }
}

}  // namespace retropg::python
