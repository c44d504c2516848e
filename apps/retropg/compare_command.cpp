#include <algorithm>

#include <fmt/format.h>

#include "commands.hpp"
#include "comparison_report.hpp"
#include "results.hpp"
#include "retropg/core/error.hpp"
#include "retropg/configuration/registry.hpp"
#include "threads.hpp"

namespace retropg::app {
namespace {

/// Rejects --set for keys that a comparison ignores.
void require_effective_settings(const std::vector<std::string>& settings, const Keep& keep) {
  for (const std::string& setting : settings) {
    const std::string key = setting.substr(0, setting.find('='));
    for (const auto& [taken, flag] : {std::pair{"algo.name", "--algos"},
                                      {"train.budget", "--budget"},
                                      {"train.iterations", "--budget"},
                                      {"train.seed", "--seed"},
                                      {"train.threads", "--threads"},
                                      {keep.metrics ? "" : "log.metrics", "--keep metrics"}}) {
      require(key != taken, fmt::format("--set {}: has no effect in a comparison; use {} instead", setting, flag));
    }
  }
}

/// The reference may be given by an alias of its algorithm.
std::string reference_name(const std::string& given) {
  for (const AlgorithmEntry& entry : algorithms()) {
    if (std::ranges::find(entry.aliases, given) != entry.aliases.end()) return entry.name;
  }
  return given;
}

}  // namespace

int compare_command(const CompareArguments& arguments) {
  require_effective_settings(arguments.flags.settings, parse_keep(arguments.keep));
  require(arguments.seeds >= 2 && arguments.seeds <= 100000,
          fmt::format("--seeds must be a whole number from 2 to 100000, not {}", arguments.seeds));
  const Configuration base = resolve(arguments.flags);
  const Index budget = arguments.budget.value_or(base.train.budget);
  require(arguments.budget || budget > 0, "--budget is missing: the number of collected trajectories per run");
  require(budget >= 1, fmt::format("--budget must be at least 1, not {}", budget));
  const ReadyComparison ready = prepare({.title = "Comparison on " + base.env.id,
                                         .base = base,
                                         .arms = parse_arm_list(arguments.algos),
                                         .seeds = arguments.seeds,
                                         .first_seed = base.train.seed,
                                         .budget = budget,
                                         .threads = threads_of_flag(arguments.threads),
                                         .reference = reference_name(arguments.reference.value_or("")),
                                         .threshold = arguments.threshold});
  return report_comparison(ready, "compare",
                           {.out = arguments.out,
                            .name = "compare__" + base.env.id,
                            .keep = arguments.keep,
                            .flags = {{"seed", "--seed"}, {"budget", "--budget"}},
                            .command = arguments.command},
                           arguments.json);
}

}  // namespace retropg::app
