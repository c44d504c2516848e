#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interpreter.hpp"
#include "retropg/storage/result_file.hpp"
#include "training.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

void resume(Training* place, const std::string& path, std::optional<Index> iterations, std::optional<Index> budget,
            std::optional<Index> steps, std::optional<Index> threads, const std::shared_ptr<GymSource>& environment) {
  const Unlocked unlocked;
  new (place) Training(
      path, {.threads = threads, .lanes = {}, .iterations = iterations, .budget = budget, .steps = steps}, environment);
}

/// One array per number of a record, by the names of progress.csv.
nb::typed<nb::dict, nb::str, Array> columns(const Training& training) {
  const std::vector<IterationRecord>& records = training.records();
  nb::typed<nb::dict, nb::str, Array> result;
  const auto add = [&](const char* name, const auto& number) {
    std::vector<double> column;
    column.reserve(records.size());
    for (const IterationRecord& record : records) column.push_back(static_cast<double>(number(record)));
    result[name] = as_array(std::move(column));
  };
  add("iteration", [](const IterationRecord& r) { return r.iteration; });
  add("trajectories", [](const IterationRecord& r) { return r.trajectories; });
  add("steps", [](const IterationRecord& r) { return r.steps; });
  add("return_mean", [](const IterationRecord& r) { return r.return_mean; });
  add("return_std", [](const IterationRecord& r) { return r.return_std; });
  add("gradient_norm", [](const IterationRecord& r) { return r.gradient_norm; });
  add("ess", [](const IterationRecord& r) { return r.diagnostics.effective_sample_size; });
  add("weight_mean", [](const IterationRecord& r) { return r.diagnostics.weight_mean; });
  add("weight_max", [](const IterationRecord& r) { return r.diagnostics.weight_max; });
  add("log_d2_max", [](const IterationRecord& r) { return r.diagnostics.log_divergence_max; });
  add("skipped", [](const IterationRecord& r) { return r.skipped; });
  add("dropped", [](const IterationRecord& r) { return r.dropped; });
  return result;
}

/// Rows of iteration, age, ess, log d2, alpha, lambda.
Array batches(const Training& training) {
  std::vector<double> rows;
  for (const IterationRecord& record : training.records()) {
    for (const BatchDiagnostics& batch : record.diagnostics.batches) {
      rows.insert(rows.end(), {static_cast<double>(record.iteration), static_cast<double>(batch.age),
                               batch.effective_sample_size, batch.log_divergence, batch.alpha, batch.lambda});
    }
  }
  const std::size_t count = rows.size() / 6;
  return as_array(std::move(rows), {count, 6});
}

Array evaluations(const Training& training) {
  std::vector<double> rows;
  const auto add = [&](const IterationRecord& at, const Evaluation& evaluation) {
    rows.insert(rows.end(),
                {static_cast<double>(at.iteration), static_cast<double>(at.trajectories), static_cast<double>(at.steps),
                 evaluation.mean, evaluation.half_width, static_cast<double>(evaluation.episodes)});
  };
  for (const IterationRecord& record : training.records()) {
    if (record.evaluation) add(record, *record.evaluation);
  }
  const RunResult& result = training.result();
  if (result.last_evaluation && !training.records().empty()) {
    add(training.records().back(), *result.last_evaluation);  // without final episodes
  }
  const std::size_t count = rows.size() / 6;
  return as_array(std::move(rows), {count, 6});
}

}  // namespace

void bind_training(nb::module_& module) {
  nb::class_<Training>(module, "Training", "A run of training.")
      .def(nb::init<const Given&, const std::shared_ptr<GymSource>&>(), nb::arg("given"),
           nb::arg("environment") = nb::none(), nb::call_guard<Unlocked>())
      .def("__init__", &resume, nb::arg("path"), nb::arg("iterations") = nb::none(), nb::arg("budget") = nb::none(),
           nb::arg("steps") = nb::none(), nb::arg("threads") = nb::none(), nb::arg("environment") = nb::none(),
           "Goes on with the run in a folder.")
      .def_prop_ro("configuration", &Training::configuration)
      .def_prop_ro("planned_iterations", &Training::planned_iterations)
      .def_prop_ro("confirming_episodes",
                   [](const Training& training) { return confirming_episodes(training.configuration().train); })
      .def_prop_ro("finished", &Training::finished)
      .def("open", &Training::open, nb::arg("path"), nb::arg("command"), nb::call_guard<Unlocked>(),
           "Makes a run folder.")
      .def("train", &Training::train, nb::arg("callback") = nb::none(), nb::arg("progress") = nb::none(),
           nb::sig("def train(self, callback: collections.abc.Callable[[IterationRecord], object] | None = None, "
                   "progress: collections.abc.Callable[[IterationRecord], object] | None = None) -> None"))
      .def("columns", &columns, "One array per column of progress.csv, of a run without a folder.")
      .def("batches", &batches, "Rows of iteration and diagnostics of a batch, of a run without a folder.")
      .def("evaluations", &evaluations, "Rows as in evaluations.csv, of a run without a folder.")
      .def_prop_ro(
          "result_json", [](const Training& training) { return result_json(training.result()); },
          "The text of result.json.")
      .def_prop_ro("seconds", [](const Training& training) { return training.result().seconds; })
      .def_prop_ro("interrupted", [](const Training& training) { return training.result().interrupted; })
      .def("policy", &Training::policy, nb::arg("which"), "The policy that is returned, best or final.")
      .def("save", &Training::save, nb::arg("path"), nb::arg("command"), nb::call_guard<Unlocked>(),
           "Writes a run that was made in memory as a run folder.");
}

}  // namespace retropg::python
