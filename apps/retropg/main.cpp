#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <iostream>

#include "commands.hpp"
#include "descriptors.hpp"
#include "flags.hpp"
#include "help_formatter.hpp"
#include "interrupt.hpp"
#include "parse_error.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/version.hpp"
#include "retropg/kernels/simd.hpp"
#include "say.hpp"
#include "shell.hpp"

namespace {

using namespace retropg::app;

constexpr const char* kNoOutput = "cannot write to standard output";

/// The status is 2 for bad input and 1 for a failure at run time.
int fail(const std::string& text, int status) {
  say(text);
  return status;
}

std::string joined(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) text += (i > 0 ? " " : "") + shell_word(argv[i]);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_descriptors();
  ignore_signals_of_writes();
  CLI::App app("Policy gradients that reuse past trajectories.", "retropg");
  app.set_version_flag("--version", "retropg " + retropg::version());
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());

  TrainArguments train;
  ResumeArguments resume;
  DoctorArguments doctor;
  CompareArguments compare;
  ReproduceArguments reproduce;
  PlotArguments plot;
  EvalArguments eval;
  ListArguments list;
  CLI::App* train_app = app.add_subcommand("train", "train a policy; writes a run folder");
  CLI::App* resume_app = app.add_subcommand("resume", "continue a run that was stopped, or make a finished one longer");
  CLI::App* doctor_app = app.add_subcommand("doctor", "verify a run or results folder; say what can be recovered");
  CLI::App* eval_app = app.add_subcommand("eval", "evaluate a trained policy, with sampled and with mean actions");
  CLI::App* list_app =
      app.add_subcommand("list", "list environments, algorithms, policies and experiments, or explain keys");
  CLI::App* compare_app = app.add_subcommand("compare", "train several algorithms with several seeds and compare them");
  CLI::App* reproduce_app =
      app.add_subcommand("reproduce", "run experiments of the paper, or your own, and decide their claims");
  CLI::App* plot_app = app.add_subcommand("plot", "draw runs that were made before in one figure");
  add_train(*train_app, train);
  add_resume(*resume_app, resume);
  add_doctor(*doctor_app, doctor);
  add_eval(*eval_app, eval);
  add_list(*list_app, list);
  add_compare(*compare_app, compare);
  add_reproduce(*reproduce_app, reproduce);
  add_plot(*plot_app, plot);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    app.exit(success);
    return std::cout.flush() ? 0 : fail(kNoOutput, 1);
  } catch (const CLI::ParseError& error) {
    return fail(explain(app, error, argc, argv), 2);
  }
  try {
    retropg::kernels::check_environment_target();
    train.command = compare.command = reproduce.command = joined(argc, argv);
    const int status = train_app->parsed()     ? train_command(train)
                       : resume_app->parsed()  ? resume_command(resume)
                       : doctor_app->parsed()  ? doctor_command(doctor)
                       : eval_app->parsed()    ? eval_command(eval)
                       : list_app->parsed()    ? list_command(list)
                       : compare_app->parsed() ? compare_command(compare)
                       : plot_app->parsed()    ? plot_command(plot)
                                               : reproduce_command(reproduce);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return fail(kNoOutput, 1);
    return status;
  } catch (const retropg::RunError& error) {
    return fail(error.what(), 1);
  } catch (const retropg::Error& error) {
    return fail(error.what(), 2);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
