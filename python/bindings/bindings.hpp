#pragma once

#include <nanobind/nanobind.h>

namespace retropg::python {

// Each adds one subject to the module.
void bind_interpreter(nanobind::module_& module);
void bind_errors(nanobind::module_& module);
void bind_lists(nanobind::module_& module);
void bind_settings(nanobind::module_& module);
void bind_records(nanobind::module_& module);
void bind_policy(nanobind::module_& module);
void bind_training(nanobind::module_& module);
void bind_comparison(nanobind::module_& module);
void bind_plant_policy(nanobind::module_& module);
void bind_collect(nanobind::module_& module);
void bind_estimate(nanobind::module_& module);
void bind_agent(nanobind::module_& module);
void bind_gym(nanobind::module_& module);

}  // namespace retropg::python
