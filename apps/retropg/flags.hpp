#pragma once

#include <CLI/CLI.hpp>

#include "commands.hpp"

/// The flags of each command.
namespace retropg::app {

void add_train(CLI::App& app, TrainArguments& a);
void add_resume(CLI::App& app, ResumeArguments& a);
void add_doctor(CLI::App& app, DoctorArguments& a);
void add_eval(CLI::App& app, EvalArguments& a);
void add_list(CLI::App& app, ListArguments& a);
void add_compare(CLI::App& app, CompareArguments& a);
void add_reproduce(CLI::App& app, ReproduceArguments& a);
void add_plot(CLI::App& app, PlotArguments& a);

}  // namespace retropg::app
