#include <algorithm>

#include <fmt/format.h>

#include "commands.hpp"
#include "comparison_report.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/experiment/catalog.hpp"
#include "threads.hpp"

namespace retropg::app {
namespace {

/// A name, or a path if there is a slash in it.
ExperimentPlan find_experiment(const std::string& text) {
  if (text.find('/') != std::string::npos) return load_experiment(text);
  std::vector<std::string> known;
  for (const RegistryEntry& entry : experiments()) known.push_back(entry.name);
  require(std::ranges::find(known, text) != known.end(),
          unknown_name_message("experiment", text, known) + "; a folder of your own needs a slash: ./" + text);
  return builtin_experiment(text);
}

}  // namespace

int reproduce_command(const ReproduceArguments& arguments) {
  require(!arguments.runs || (*arguments.runs >= 2 && *arguments.runs <= 100000),
          fmt::format("--runs must be a whole number from 2 to 100000, not {}", arguments.runs.value_or(0)));
  require(!arguments.scale || (*arguments.scale > 0.0 && *arguments.scale <= 1.0),
          fmt::format("--scale must be above 0 and at most 1, not {}", arguments.scale.value_or(0)));
  require(arguments.seed >= 0, fmt::format("--seed must not be negative, but is {}", arguments.seed));
  const ExperimentPlan plan = find_experiment(arguments.experiment);
  const ReadyExperiment ready = prepare(plan, {.runs = arguments.runs,
                                               .scale = arguments.scale,
                                               .first_seed = static_cast<std::uint64_t>(arguments.seed),
                                               .threads = threads_of_flag(arguments.threads)});
  return report_experiment(ready,
                           {.out = arguments.out,
                            .name = plan.name,
                            .keep = arguments.keep,
                            .flags = {{"seed", "--seed"}, {"budget", "--scale"}},
                            .command = arguments.command},
                           arguments.json);
}

}  // namespace retropg::app
