#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

/// A number of the diagnostics as an attribute of the record.
template <typename Number>
auto diagnostic(Number Diagnostics::*member) {
  return [member](const IterationRecord& record) { return record.diagnostics.*member; };
}

}  // namespace

void bind_records(nb::module_& module) {
  nb::class_<Evaluation>(module, "IterateEvaluation", "The mean return of separate episodes during training.")
      .def_ro("mean", &Evaluation::mean)
      .def_ro("half_width", &Evaluation::half_width, "of the 95 % Student t interval")
      .def_ro("episodes", &Evaluation::episodes);

  nb::class_<BatchDiagnostics>(module, "BatchDiagnostics", "One batch of the window; NaN where a number is undefined.")
      .def_ro("age", &BatchDiagnostics::age, "0 is the fresh batch")
      .def_ro("effective_sample_size", &BatchDiagnostics::effective_sample_size)
      .def_ro("log_divergence", &BatchDiagnostics::log_divergence)
      .def_ro("alpha", &BatchDiagnostics::alpha)
      .def_ro("lambda_", &BatchDiagnostics::lambda);

  nb::class_<IterationRecord>(module, "IterationRecord", "What one iteration did.")
      .def_ro("iteration", &IterationRecord::iteration, "1, 2, ...")
      .def_ro("trajectories", &IterationRecord::trajectories, "collected so far")
      .def_ro("steps", &IterationRecord::steps, "taken so far")
      .def_ro("return_mean", &IterationRecord::return_mean, "of the fresh batch")
      .def_ro("return_std", &IterationRecord::return_std)
      .def_ro("gradient_norm", &IterationRecord::gradient_norm)
      .def_ro("skipped", &IterationRecord::skipped, "updates skipped so far")
      .def_ro("dropped", &IterationRecord::dropped, "broken trajectories left out so far")
      .def_prop_ro("effective_sample_size", diagnostic(&Diagnostics::effective_sample_size))
      .def_prop_ro("weight_mean", diagnostic(&Diagnostics::weight_mean))
      .def_prop_ro("weight_max", diagnostic(&Diagnostics::weight_max))
      .def_prop_ro("log_divergence_max", diagnostic(&Diagnostics::log_divergence_max))
      .def_prop_ro("saturated", diagnostic(&Diagnostics::saturated), "weights truncated at log w = 300")
      .def_prop_ro("batches", diagnostic(&Diagnostics::batches), "of the window")
      .def_ro("evaluation", &IterationRecord::evaluation, "of the new parameters, if this iteration has one");
}

}  // namespace retropg::python
