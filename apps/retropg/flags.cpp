#include "flags.hpp"

#include <charconv>
#include <cmath>

#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"

namespace retropg::app {
namespace {

constexpr std::size_t kLongestQuote = 80;
constexpr const char* kThreads = "number of threads, 0 for all cores; results do not depend on it (default 0)";

/// An integer flag. CLI11 itself would read an empty string as 0 and clamp numbers that are too large.
template <typename Target>
void add_whole(CLI::App& app, const std::string& flag, Target& target, const std::string& help) {
  app.add_option_function<std::string>(
         flag,
         [flag, &target](const std::string& text) {
           Index number = 0;
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

/// A flag that may be repeated.
void add_repeated(CLI::App& app, const std::string& flag, std::vector<std::string>& target, const std::string& type,
                  const std::string& help) {
  app.add_option(flag, target, help)->type_name(type)->take_all()->allow_extra_args(false);
}

void add_configuration_flags(CLI::App& app, ConfigurationFlags& flags, const std::string& environments) {
  app.add_option("--env", flags.env, environments + " (env.id; default CartPole)")->type_name("NAME");
  app.add_option("--policy", flags.policy,
                 "policy (policy.kind; default: the preset's, else one that suits the actions)")
      ->type_name("NAME");
  add_whole(app, "--batch", flags.batch,
            "N, new trajectories per iteration (algo.batch; default: the preset's, else 10)");
  app.add_option("--window", flags.window,
                 "number of batches to use, including the new one (omega), or 'all' (algo.window; default: the "
                 "preset's, else 8)")
      ->type_name("INT");
  app.add_option("--preset", flags.preset,
                 "settings that lie under all others: own (suited to the environment), paper, or none (default: own; "
                 "none with --config)")
      ->type_name("NAME");
  app.add_option("--config", flags.config, "TOML file with keys of the configuration (default: none)")
      ->type_name("FILE");
  add_repeated(app, "--set", flags.settings, "KEY=VALUE",
               "any key of the configuration, as `retropg list SECTION` explains it; may be repeated (default: none)");
}

/// 0 is easily typed for what it is not: files have it for a run without a limit.
void add_budget(CLI::App& app, std::optional<Index>& budget) {
  const std::string flag = "--budget";
  app.add_option_function<std::string>(
         flag,
         [flag, &budget](const std::string& text) {
           Index number = 0;
           if (!same_name(text, "none")) {
             const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
             if (error != std::errc() || end != text.data() + text.size() || number == 0) {
               throw CLI::ValidationError(flag, "must be a whole number of at least 1, or none for no limit, not '" +
                                                    one_line(text, kLongestQuote) + "'");
             }
           }
           budget = number;
         },
         "maximum number of collected trajectories, or none for no limit (train.budget; default: the preset's, else "
         "none)")
      ->type_name("INT");
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "print one JSON object on stdout (default: text)");
}

void add_threads(CLI::App& app, Index& threads) {
  add_whole(app, "--threads", threads, kThreads);
}

/// The flags of the commands that run several trainings and write a figure.
template <typename Arguments>
void add_results(CLI::App& app, Arguments& a, const std::string& name) {
  add_threads(app, a.threads);
  app.add_option("--out", a.out,
                 "folder for runs, tables and figure; one left by an earlier call is continued (default: results/" +
                     name + "__UTC)")
      ->type_name("FOLDER");
  app.add_option(
         "--keep", a.keep,
         "what to keep of each run besides its progress.csv: policies,metrics,checkpoints, all or none; or only "
         "its curves, as a small CSV file (default: policies)")
      ->type_name("LIST");
  add_json(app, a.json);
}

}  // namespace

void add_train(CLI::App& app, TrainArguments& a) {
  app.add_option("--algo", a.flags.algo,
                 "algorithm (algo.name; default nes; rpg with --config, or --preset paper or none)")
      ->type_name("NAME");
  add_configuration_flags(app, a.flags, "environment, for example Swimmer");
  add_whole(app, "--iterations", a.flags.iterations,
            "K, maximum number of updates (train.iterations; default: no limit with a budget, a preset's included, or "
            "--steps; else 1000)");
  add_budget(app, a.flags.budget);
  add_whole(
      app, "--steps", a.flags.steps,
      "ends the run after the iteration that reaches this number of environment steps (train.steps; default 0: no "
      "limit)");
  app.add_option("--confirm", a.flags.confirm,
                 "episodes of the returned policy at the end, within the budget, which measure its return, or 'auto' "
                 "(train.confirm; default: the preset's, for nes auto: a twentieth of a budget above 100, else 0)")
      ->type_name("INT");
  app.add_flag("--until-solved", a.flags.until_solved,
               "nes: ends the run once five draws and five trajectories of the policy to return have reached the "
               "largest return there is (train.until_solved; default: when the budget is spent)");
  add_whole(app, "--seed", a.flags.seed, "random seed; fixes every random number of the run (train.seed; default 1)");
  add_whole(app, "--threads", a.flags.threads,
            "number of threads, 0 for all cores; results do not depend on it (train.threads; default 0)");
  app.add_option("--out", a.out, "run folder to create (default: runs/ENV__ALGO__SEED__UTC)")->type_name("FOLDER");
  add_json(app, a.json);
}

void add_compare(CLI::App& app, CompareArguments& a) {
  app.add_option("--algos", a.algos,
                 "algorithms: rpg,gpomdp or all; an item may have its own settings, rpg:algo.window=16 (default: all)")
      ->type_name("LIST");
  add_configuration_flags(app, a.flags, "environment, or several: CartPole,LQR compares on each and on all");
  add_whole(app, "--budget", a.budget, "maximum number of collected trajectories per run (no default)");
  add_whole(app, "--seeds", a.seeds, "runs per algorithm (default 10)");
  add_repeated(app, "--sweep", a.sweeps, "KEY=VALUE,VALUE",
               "values of a key to try for every algorithm that reads it; the best one is compared; may be repeated "
               "(default: none)");
  add_whole(app, "--pick-seeds", a.pick_seeds,
            "runs per value for picking the best one; --seeds come after them (default: as many as --seeds)");
  app.add_option("--reference", a.reference,
                 "algorithm that the others are compared with (default: gpomdp, else the first)")
      ->type_name("NAME");
  add_number(app, "--threshold", a.threshold, "a return: also report when each algorithm reaches it (default: none)");
  add_whole(app, "--seed", a.flags.seed, "the first seed; runs use seed, seed + 1, ... (default 1)");
  add_results(app, a, "compare__ENV");
}

void add_reproduce(CLI::App& app, ReproduceArguments& a) {
  app.add_option(
         "experiments", a.experiments,
         "names of experiments (`retropg list` shows them), 'all', or paths of folders of your own, with a slash")
      ->required();
  add_whole(app, "--runs", a.runs,
            "runs per configuration; with --out, more can be added later (default: the experiment's own number)");
  add_whole(app, "--pick-runs", a.pick_runs,
            "runs for picking, per setting of an experiment that tries several (default: the experiment's own number)");
  add_number(app, "--scale", a.scale,
             "share of the paper's trajectories per run, above 0, at most 1 (default: the experiment's)");
  add_whole(app, "--seed", a.seed, "the first seed; runs use seed, seed + 1, ... (default 1)");
  add_results(app, a, "NAME");
}

void add_resume(CLI::App& app, ResumeArguments& a) {
  app.add_option("run", a.path, "run folder")->required();
  add_whole(app, "--iterations", a.changes.iterations,
            "makes the run longer: maximum number of updates (default: as before)");
  add_whole(app, "--budget", a.changes.budget,
            "makes the run longer: maximum number of collected trajectories (default: as before)");
  add_whole(app, "--steps", a.changes.steps,
            "makes the run longer: number of steps after which it ends (default: as before)");
  add_whole(app, "--threads", a.changes.threads, "number of threads, 0 for all cores (default: as before)");
  add_whole(app, "--lanes", a.changes.lanes, "trajectories simulated side by side (default: as before)");
  add_json(app, a.json);
}

void add_list(CLI::App& app, ListArguments& a) {
  app.add_option(
      "names", a.names,
      "keys or sections of the configuration to explain, for example algo.window or optimizer; with --presets, "
      "environments (default: list the names of everything)");
  app.add_flag("--presets", a.presets,
               "show the settings of the presets of these environments, or of all (default: list names)");
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

}  // namespace retropg::app
