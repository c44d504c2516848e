#include "retropg/experiment/comparison_json.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "gym_environment.hpp"
#include "interpreter.hpp"
#include "interrupts.hpp"
#include "log.hpp"
#include "retropg/experiment/comparison_request.hpp"
#include "retropg/experiment/preset_line.hpp"
#include "retropg/experiment/study.hpp"
#include "retropg/parallel/workers.hpp"
#include "setting_values.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

/// What Python reads of a comparison.
class Compared {
 public:
  explicit Compared(Comparison comparison) : comparison_(std::move(comparison)) {}

  std::string json() const { return comparison_json(comparison_, true); }
  /// Of the arms as they are listed: the largest area first.
  std::vector<std::size_t> order() const { return comparison_.order(); }
  SettingsDict configuration(std::size_t arm) const { return as_dict(comparison_.arms.at(arm).configuration); }
  /// Trajectories, mean return and its standard error.
  nb::typed<nb::tuple, Array, Array, Array> band(std::size_t arm) const {
    const Band& band = comparison_.arms.at(arm).curve;
    return nb::make_tuple(as_array(band.x), as_array(band.mean), as_array(band.standard_error));
  }
  /// Trajectories and returns of every run.
  nb::typed<nb::list, nb::typed<nb::tuple, Array, Array>> curves(std::size_t arm) const {
    nb::typed<nb::list, nb::typed<nb::tuple, Array, Array>> result;
    for (const Curve& run : comparison_.arms.at(arm).runs) {
      result.append(nb::make_tuple(as_array(run.x), as_array(run.y)));
    }
    return result;
  }

 private:
  Comparison comparison_;
};

/// Shows how many runs are done; false stops the comparison.
class Watch {
 public:
  Watch(const std::optional<nb::callable>& progress, Interrupts& interrupts)
      : progress_(progress), interrupts_(interrupts) {}

  bool operator()(const RunsDone& runs) {
    if (interrupts_.any()) return false;
    if (!progress_ || Clock::now() < next_) return !interrupts_.pending();
    next_ = Clock::now() + std::chrono::milliseconds(100);
    return with_python([&] {
      try {
        (*progress_)(static_cast<double>(runs.done) + runs.under_way, runs.total);
      } catch (nb::python_error& error) {
        interrupts_.keep(std::move(error));
      }
      return !interrupts_.pending_with_lock();
    });
  }

 private:
  using Clock = std::chrono::steady_clock;
  const std::optional<nb::callable>& progress_;
  Interrupts& interrupts_;
  Clock::time_point next_;
};

Compared compare(const Given& given, const std::string& algos, Index seeds, Index budget,
                 const std::optional<std::string>& reference, std::optional<double> threshold, Index threads,
                 const std::optional<nb::typed<nb::callable, void(double, Index)>>& show,
                 const std::shared_ptr<GymSource>& environment) {
  const std::optional<nb::callable> progress = show ? std::optional<nb::callable>(*show) : std::nullopt;
  Interrupts interrupts;
  std::optional<Study> study;
  {
    const Unlocked unlocked;
    ComparisonPlan plan = comparison_plan(given, {.algos = algos,
                                                  .seeds = seeds,
                                                  .budget = budget,
                                                  .threads = thread_count(threads),
                                                  .reference = reference,
                                                  .threshold = threshold});
    plan.environment = definition(environment, plan.base);
    ReadyStudy ready = prepare_study(std::span(&plan, 1), {}, 0);
    const std::vector<ArmUse> arms = arm_uses(ready.tasks.front());
    require_effect(given_settings(given), arms);
    for (const std::string& line : preset_lines(preset_kind(given), arms, kNoPreset)) log_info(line);
    for (const std::string& refusal : ready.tasks.front().report.refusals) log_warning("left out " + refusal);
    Watch watch(progress, interrupts);
    try {
      study = run_study(std::move(ready), [&](const RunsDone& runs) { return watch(runs); });
    } catch (const ExperimentStopped&) {
      if (!interrupts.any()) throw;
    }
  }
  interrupts.rethrow();
  return Compared(std::move(study->tasks.front().comparison));
}

}  // namespace

void bind_comparison(nb::module_& module) {
  nb::class_<Compared>(module, "Comparison", "Several algorithms with the same seeds and the same budget.")
      .def("json", &Compared::json, "Everything except the curves.")
      .def("order", &Compared::order, "Indices of the arms, the largest area first.")
      .def("configuration", &Compared::configuration, nb::arg("arm"))
      .def("band", &Compared::band, nb::arg("arm"), "Trajectories, mean return and its standard error.")
      .def("curves", &Compared::curves, nb::arg("arm"), "Trajectories and returns of every run.");
  module.def("compare", &compare, nb::arg("given"), nb::arg("algos"), nb::arg("seeds"), nb::arg("budget"),
             nb::arg("reference") = nb::none(), nb::arg("threshold") = nb::none(), nb::arg("threads") = 0,
             nb::arg("progress") = nb::none(), nb::arg("environment") = nb::none());
}

}  // namespace retropg::python
