#include "training.hpp"

#include "interrupts.hpp"
#include "log.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/experiment/preset_line.hpp"
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
        Interrupts& interrupts)
      : callback_(callback), progress_(progress), interrupts_(interrupts) {}

  bool operator()(const IterationRecord& record) {
    const bool shown = progress_ && Clock::now() >= next_;
    if (!callback_ && !shown) return !interrupts_.pending();
    const nb::gil_scoped_acquire lock;
    try {
      const nb::object seen = nb::cast(record);
      if (shown) (*progress_)(seen);
      if (shown) next_ = Clock::now() + kProgress;
      if (callback_ && (*callback_)(seen).is(Py_False)) {
        stopped_ = true;
        return false;
      }
    } catch (nb::python_error& error) {
      interrupts_.keep(std::move(error));
      return false;
    }
    return !interrupts_.pending_with_lock();
  }

  /// Whether the callback ended the run by returning False.
  bool stopped() const { return stopped_; }

 private:
  using Clock = std::chrono::steady_clock;
  const std::optional<nb::callable>& callback_;
  const std::optional<nb::callable>& progress_;
  Interrupts& interrupts_;
  Clock::time_point next_;
  bool stopped_ = false;
};

/// As it is written into the status of the folder.
std::string reason(const Interrupts& interrupts) {
  if (!interrupts.any()) return "callback";
  const nb::gil_scoped_acquire lock;
  const std::string name = interrupts.name();
  return name == "KeyboardInterrupt" ? "SIGINT" : name;
}

}  // namespace

Training::Training(const Given& given) : run_(std::make_unique<TrainingRun>(resolve(given))) {
  require_effect(given_settings(given), run_->configuration());
  log_info(preset_line(preset_kind(given), run_->configuration(), kNoPreset));
}

Training::Training(const std::string& path, const ResumeChanges& changes) {
  ResumedRun resumed = resume_run(path, changes, log_warning);
  run_ = std::move(resumed.run);
  folder_ = std::move(resumed.folder);
}

void Training::open(const std::string& path, const std::string& command) {
  make_output_folder(path);
  folder_ = std::make_unique<RunFolder>(path, *run_, command, log_warning);
}

void Training::train(const std::optional<nb::callable>& callback, const std::optional<nb::callable>& progress) {
  Interrupts interrupts;
  {
    const nb::gil_scoped_release release;
    Watch watch(callback, progress, interrupts);
    Advice advice(has_effect(configuration(), "optimizer.rate"));
    const std::unique_ptr<RunFolder> folder = std::move(folder_);  // unlocked at the end, whatever happens
    try {
      result_ = run_->train([&](const IterationRecord& record) {
        folder ? folder->record(record) : records_.push_back(record);
        if (const std::optional<std::string> line = advice.see(record)) log_warning(*line);
        return watch(record);
      });
    } catch (const std::exception& error) {
      if (folder) folder->fail(error);
      throw;
    }
    result_.interrupted = !finished();
    if (result_.interrupted) interrupts.look();  // an environment may have been interrupted
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

void Training::save(const std::string& path, const std::string& command) {
  make_output_folder(path);
  RunFolder folder(path, *run_, command, log_warning, {.records = records_, .seconds = result_.seconds});
  folder.finish(result_, interrupted_by_);
}

}  // namespace retropg::python
