#include <algorithm>

#include <fmt/format.h>

#include "commands.hpp"
#include "comparison_report.hpp"
#include "experiment_series.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/experiment/catalog.hpp"
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

}  // namespace

int reproduce_command(const ReproduceArguments& arguments) {
  check_flags(arguments);
  const FoundExperiments found = find_experiments(arguments.experiments);
  const ExperimentChoice choice{.runs = arguments.runs,
                                .pick_runs = arguments.pick_runs,
                                .scale = arguments.scale,
                                .first_seed = static_cast<std::uint64_t>(arguments.seed),
                                .threads = threads_of_flag(arguments.threads)};
  ExperimentSeries series{.experiments = {}, .left_out = found.left_out};
  for (const ExperimentPlan& plan : found.plans) series.experiments.push_back(prepare(plan, choice));
  const bool all = std::ranges::find(arguments.experiments, kAll) != arguments.experiments.end();
  const bool alone = arguments.experiments.size() == 1 && !all;
  const ResultsOptions options{.out = arguments.out,
                               .name = alone ? found.plans.front().name
                                       : all ? kAll
                                             : "several",
                               .keep = arguments.keep,
                               .flags = {{"seed", "--seed"}, {"scale", "--scale"}, {"pick_seeds", "--pick-runs"}},
                               .command = arguments.command};
  return alone ? report_experiment(series.experiments.front(), options, arguments.json)
               : report_series(series, options, arguments.json);
}

}  // namespace retropg::app
