#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>

#include "commands.hpp"
#include "descriptors.hpp"
#include "interrupt.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/core/version.hpp"
#include "retropg/kernels/simd.hpp"
#include "say.hpp"
#include "shell.hpp"

namespace {

using namespace retropg::app;

constexpr std::size_t kLongestReason = 300;  // of what the parser says: leaves room for what follows it
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

/// An integer flag. CLI11 itself would read an empty string as 0 and clamp numbers that are too large.
template <typename Target>
void add_whole(CLI::App& app, const std::string& flag, Target& target, const std::string& help) {
  app.add_option_function<std::string>(
         flag,
         [flag, &target](const std::string& text) {
           retropg::Index number = 0;
           const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
           if (error != std::errc() || end != text.data() + text.size()) {
             throw CLI::ValidationError(flag, "must be a whole number, not '" + text + "'");
           }
           target = number;
         },
         help)
      ->type_name("INT");
}

/// A flag for any finite number.
template <typename Target>
void add_number(CLI::App& app, const std::string& flag, Target& target, const std::string& help) {
  app.add_option_function<std::string>(
         flag,
         [flag, &target](const std::string& text) {
           double number = 0.0;
           const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
           if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
             throw CLI::ValidationError(flag, "must be a number, not '" + text + "'");
           }
           target = number;
         },
         help)
      ->type_name("FLOAT");
}

void add_configuration_flags(CLI::App& app, ConfigurationFlags& flags, const std::string& environments) {
  app.add_option("--env", flags.env, environments);
  add_whole(app, "--batch", flags.batch, "N, new trajectories per iteration (algo.batch; default 10)");
  app.add_option("--window", flags.window,
                 "number of batches to use, including the new one (omega), or 'all' (algo.window; default 8)");
  app.add_option("--config", flags.config, "TOML file; docs/configuration.md lists the keys")->type_name("FILE");
  app.add_option("--set", flags.settings, "any configuration key; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "print one JSON object on stdout");
}

void add_train(CLI::App& app, TrainArguments& a) {
  app.add_option("--algo", a.flags.algo, "algorithm (algo.name; default rpg)");
  add_configuration_flags(app, a.flags, "environment (env.id), for example Swimmer (default: CartPole)");
  add_whole(app, "--iterations", a.flags.iterations,
            "K, maximum number of updates (train.iterations; default 1000 unless --budget is given)");
  add_whole(app, "--budget", a.flags.budget, "maximum number of collected trajectories (train.budget)");
  add_whole(app, "--seed", a.flags.seed, "random seed; fixes every random number of the run (train.seed)");
  add_whole(app, "--threads", a.flags.threads,
            "number of threads; 0 means all cores; results do not depend on it (train.threads)");
  app.add_option("--out", a.out, "run folder to create (default: runs/ENV__ALGO__SEED__UTC)");
  add_json(app, a.json);
}

void add_threads(CLI::App& app, retropg::Index& threads) {
  add_whole(app, "--threads", threads, "number of threads; 0 means all cores; results do not depend on it");
}

/// The flags of the commands that run several trainings and write a figure.
template <typename Arguments>
void add_results(CLI::App& app, Arguments& a, const std::string& name) {
  add_threads(app, a.threads);
  app.add_option("--out", a.out,
                 "folder for runs, tables and figure (default: results/" + name +
                     "__UTC); a folder left by an earlier call is continued");
  app.add_option(
         "--keep", a.keep,
         "what to keep of each run besides its progress.csv: policies,metrics,checkpoints, all or none; or only "
         "its curves, as a small CSV file (default: policies)")
      ->type_name("LIST");
  add_json(app, a.json);
}

void add_compare(CLI::App& app, CompareArguments& a) {
  app.add_option("--algos", a.algos,
                 "algorithms: rpg,gpomdp or all; an item may have its own settings, rpg:algo.window=16 (default: all)");
  add_configuration_flags(
      app, a.flags, "environment (env.id), or several: CartPole,LQR compares on each and on all (default: CartPole)");
  add_whole(app, "--budget", a.budget, "maximum number of collected trajectories per run");
  add_whole(app, "--seeds", a.seeds, "runs per algorithm (default 10)");
  app.add_option("--sweep", a.sweeps,
                 "values of a key to try for every algorithm that reads it; the best one is compared; may be repeated")
      ->type_name("KEY=VALUE,VALUE")
      ->take_all()
      ->allow_extra_args(false);
  add_whole(app, "--pick-seeds", a.pick_seeds,
            "runs per value for picking the best one; --seeds come after them (default: as many as --seeds)");
  app.add_option("--reference", a.reference,
                 "algorithm that the others are compared with (default: gpomdp, else the first)");
  add_number(app, "--threshold", a.threshold, "a return: also report when each algorithm reaches it");
  add_whole(app, "--seed", a.flags.seed, "the first seed; runs use seed, seed + 1, ... (default 1)");
  add_results(app, a, "compare__ENV");
}

void add_reproduce(CLI::App& app, ReproduceArguments& a) {
  app.add_option(
         "experiments", a.experiments,
         "names of experiments (`retropg list` shows them), 'all', or paths of folders of your own, with a slash")
      ->required();
  add_whole(app, "--runs", a.runs,
            "runs per configuration (default: the experiment's own number); with --out, more can be added later");
  add_whole(app, "--pick-runs", a.pick_runs,
            "runs for picking, per setting of an experiment that tries several (default: the experiment's own number)");
  add_number(app, "--scale", a.scale,
             "share of the paper's trajectories per run, above 0, at most 1 (default: the experiment's)");
  add_whole(app, "--seed", a.seed, "the first seed; runs use seed, seed + 1, ... (default 1)");
  add_results(app, a, "NAME");
}

void add_resume(CLI::App& app, ResumeArguments& a) {
  app.add_option("run", a.path, "run folder")->required();
  add_whole(app, "--iterations", a.changes.iterations, "makes the run longer: maximum number of updates");
  add_whole(app, "--budget", a.changes.budget, "makes the run longer: maximum number of collected trajectories");
  add_whole(app, "--threads", a.changes.threads, "number of threads; 0 means all cores (default: as before)");
  add_whole(app, "--lanes", a.changes.lanes, "trajectories simulated side by side (default: as before)");
  add_json(app, a.json);
}

void add_doctor(CLI::App& app, DoctorArguments& a) {
  app.add_option("path", a.path, "run folder or results folder")->required();
  add_json(app, a.json);
}

void add_plot(CLI::App& app, PlotArguments& a) {
  app.add_option("folders", a.paths, "run folders and results folders")->required();
  app.add_option(
         "--out", a.out,
         "path of the figure without its ending (default: plot in the folder if there is only one, else ./plot)")
      ->type_name("STEM");
  app.add_option("--metric", a.metrics,
                 "what to draw: return,ess,divergence,coefficients (default: all that the runs have)")
      ->type_name("LIST");
  add_json(app, a.json);
}

void add_eval(CLI::App& app, EvalArguments& a) {
  app.add_option("path", a.path, "run folder or policy file")->required();
  app.add_option("--policy", a.policy,
                 "which policy of a run folder: best, final, or a policy file (default: what the run returns)")
      ->type_name("NAME");
  add_whole(app, "--episodes", a.episodes, "episodes per estimate: stochastic and deterministic policy (default 100)");
  add_whole(app, "--seed", a.seed, "random seed of the episodes (default 1)");
  add_threads(app, a.threads);
  add_json(app, a.json);
}

/// What the parser says, in the same words for arguments of one and of several words.
std::string reason_of(const CLI::ParseError& error) {
  const std::string text = error.what(), required = " is required";
  if (!text.ends_with(required)) return text;
  return "the argument '" + text.substr(0, text.size() - required.size()) + "' is missing";
}

/// The parser's message with the closest valid flag, in one line.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App* command = &app;
  std::vector<std::string> commands;
  for (const CLI::App* known : app.get_subcommands({})) commands.push_back(known->get_name());
  if (argc < 2)
    return "no command given; expected one of " + CLI::detail::join(commands, ", ") + "; see 'retropg --help'";
  if (app.get_subcommands().empty() && argv[1][0] != '-')
    return retropg::unknown_name_message("command", argv[1], commands);
  if (!app.get_subcommands().empty()) command = app.get_subcommands().front();
  std::vector<std::string> flags;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (word.starts_with("--") && std::find(flags.begin(), flags.end(), word) == flags.end()) {
      return retropg::unknown_name_message("option", word, flags);
    }
  }
  return retropg::one_line(reason_of(error), kLongestReason) + "; see 'retropg" +
         (command == &app ? "" : " " + command->get_name()) + " --help'";
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_descriptors();
  ignore_signals_of_writes();
  CLI::App app("Policy gradients that reuse past trajectories.", "retropg");
  app.set_version_flag("--version", "retropg " + retropg::version());
  app.require_subcommand(1);

  TrainArguments train;
  ResumeArguments resume;
  DoctorArguments doctor;
  CompareArguments compare;
  ReproduceArguments reproduce;
  PlotArguments plot;
  EvalArguments eval;
  bool list_json = false;
  CLI::App* train_app = app.add_subcommand("train", "train a policy; writes a run folder");
  CLI::App* resume_app = app.add_subcommand("resume", "continue a run that was stopped, or make a finished one longer");
  CLI::App* doctor_app = app.add_subcommand("doctor", "verify a run or results folder; say what can be recovered");
  CLI::App* eval_app = app.add_subcommand("eval", "evaluate a trained policy, with sampled and with mean actions");
  CLI::App* list_app = app.add_subcommand("list", "list environments, algorithms, policies and experiments");
  CLI::App* compare_app = app.add_subcommand("compare", "train several algorithms with several seeds and compare them");
  CLI::App* reproduce_app =
      app.add_subcommand("reproduce", "run experiments of the paper, or your own, and decide their claims");
  CLI::App* plot_app = app.add_subcommand("plot", "draw runs that were made before in one figure");
  add_train(*train_app, train);
  add_resume(*resume_app, resume);
  add_doctor(*doctor_app, doctor);
  add_eval(*eval_app, eval);
  add_json(*list_app, list_json);
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
                       : list_app->parsed()    ? list_command(list_json)
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
