#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "commands.hpp"
#include "comparison_report.hpp"
#include "experiment_series.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/experiment/catalog.hpp"
#include "retropg/experiment/stored_experiment.hpp"
#include "retropg/storage/file.hpp"
#include "say.hpp"
#include "threads.hpp"

namespace retropg::app {
namespace {

constexpr const char* kAll = "all";

/// A name, or a path if there is a slash in it.
ExperimentPlan find_experiment(const std::string& text) {
  if (text.find('/') != std::string::npos) return load_experiment(text);
  std::vector<std::string> known;
  for (const RegistryEntry& entry : experiments()) {
    if (is_called(entry, text)) return builtin_experiment(entry.name);
    known.push_back(entry.name);
  }
  known.emplace_back(kAll);
  throw Error(unknown_name_message("experiment", text, known) + "; a folder of your own needs a slash: ./" + text);
}

/// Why this build cannot run the experiment; empty if it can.
std::string missing_environment(const ExperimentPlan& plan) {
  try {
    make_environment(plan.comparison.base);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

struct FoundExperiments {
  std::vector<ExperimentPlan> plans;
  std::vector<std::string> left_out;
};

/// Every built-in experiment that this build can run.
void add_all(FoundExperiments& found) {
  for (const RegistryEntry& entry : experiments()) {
    const ExperimentPlan plan = builtin_experiment(entry.name);
    if (const std::string reason = missing_environment(plan); !reason.empty()) {
      found.left_out.push_back(plan.name + ": " + reason);
    } else {
      found.plans.push_back(plan);
    }
  }
}

FoundExperiments find_experiments(const std::vector<std::string>& words) {
  FoundExperiments found;
  for (const std::string& word : words) {
    if (word == kAll) {
      add_all(found);
    } else {
      found.plans.push_back(find_experiment(word));
    }
  }
  for (auto plan = found.plans.begin(); plan != found.plans.end(); ++plan) {
    require(std::ranges::count(found.plans.begin(), plan, plan->name, &ExperimentPlan::name) == 0,
            fmt::format("two experiments are called '{}'; each needs a folder of its own name", plan->name));
  }
  return found;
}

void check_count(const char* flag, const std::optional<Index>& runs) {
  require(!runs || (*runs >= 2 && *runs <= 100000),
          fmt::format("{} must be a whole number from 2 to 100000, not {}", flag, runs.value_or(0)));
}

void check_flags(const ReproduceArguments& arguments) {
  check_count("--runs", arguments.runs);
  check_count("--pick-runs", arguments.pick_runs);
  require(!arguments.scale || (*arguments.scale > 0.0 && *arguments.scale <= 1.0),
          fmt::format("--scale must be above 0 and at most 1, not {}", arguments.scale.value_or(0)));
  require(arguments.seed >= 0, fmt::format("--seed must not be negative, but is {}", arguments.seed));
}

/// The runs that every arm in the folder has; 0 if it is not there yet. Of a sweep, only the picked settings have runs.
Index runs_there(const Place& folder, bool swept) {
  if (!is_there(folder / "plan.toml")) return 0;
  std::optional<Index> fewest;
  for (const StoredArm& arm : read_experiment(folder).arms) {
    const Index done = std::ssize(arm.done);
    if (!swept || done + arm.not_done > 0) fewest = std::min(fewest.value_or(done), done);
  }
  return fewest.value_or(0);
}

/// The experiment with as many runs as chosen, or as its folder has already: nothing that was computed is left out.
ReadyExperiment prepared(const ExperimentPlan& plan, ExperimentChoice choice, const ResultsOptions& options,
                         bool alone) {
  ReadyExperiment ready = prepare(plan, choice);
  if (!options.out) return ready;
  ResultsOptions own = options;
  if (!alone) own.out = *options.out / plan.name;
  check_results_folder(results_plan(ready), plan.name, own);
  const Index there = runs_there(*own.out, !plan.sweeps.empty()), chosen = ready.plan.comparison.seeds;
  if (there <= chosen) return ready;
  say(fmt::format("{}: has {} runs of each arm; all of them are kept, not only {}", own.out->string(), there, chosen));
  choice.runs = there;
  return prepare(plan, choice);
}

}  // namespace

int reproduce_command(const ReproduceArguments& arguments) {
  check_flags(arguments);
  const FoundExperiments found = find_experiments(arguments.experiments);
  const ExperimentChoice choice{.runs = arguments.runs,
                                .pick_runs = arguments.pick_runs,
                                .scale = arguments.scale,
                                .first_seed = static_cast<std::uint64_t>(arguments.seed),
                                .threads = threads_of_flag(arguments.threads)};
  const bool all = std::ranges::find(arguments.experiments, kAll) != arguments.experiments.end();
  const bool alone = arguments.experiments.size() == 1 && !all;
  const ResultsOptions options{.out = arguments.out,
                               .name = alone ? found.plans.front().name
                                       : all ? kAll
                                             : "several",
                               .keep = arguments.keep,
                               .flags = {{"seed", "--seed"}, {"scale", "--scale"}, {"pick_seeds", "--pick-runs"}},
                               .command = arguments.command};
  ExperimentSeries series{.experiments = {}, .left_out = found.left_out};
  for (const ExperimentPlan& plan : found.plans) {
    series.experiments.push_back(prepared(plan, choice, options, alone));
  }
  return alone ? report_experiment(series.experiments.front(), options, arguments.json)
               : report_series(series, options, arguments.json);
}

}  // namespace retropg::app
