#include <algorithm>

#include <fmt/format.h>

#include "commands.hpp"
#include "results.hpp"
#include "retropg/core/error.hpp"
#include "retropg/experiment/comparison_request.hpp"
#include "retropg/experiment/item_list.hpp"
#include "retropg/experiment/preset_line.hpp"
#include "study_report.hpp"
#include "threads.hpp"

namespace retropg::app {
namespace {

/// Rejects --set for keys that a comparison ignores.
void require_effective_settings(const std::vector<std::string>& settings, const Keep& keep) {
  for (const std::string& setting : settings) {
    const std::string key = key_of(setting);
    for (const auto& [taken, flag] : {std::pair{"algo.name", "--algos"},
                                      {"train.budget", "--budget"},
                                      {"train.iterations", "--budget"},
                                      {"train.steps", "--budget"},
                                      {"train.seed", "--seed"},
                                      {"train.threads", "--threads"},
                                      {"log.tensorboard", "retropg train"},
                                      {"log.monitor", "retropg train"},
                                      {keep.metrics ? "" : "log.metrics", "--keep metrics"}}) {
      require(key != taken, fmt::format("--set {}: has no effect in a comparison; use {} instead", setting, flag));
    }
  }
}

void require_seeds(const std::string& flag, Index seeds) {
  require(seeds >= 2 && seeds <= 100000,
          fmt::format("{} must be a whole number from 2 to 100000, not {}", flag, seeds));
}

/// Of several environments, each has its own arms.
std::vector<ArmUse> all_arms(const ReadyStudy& study) {
  std::vector<ArmUse> arms;
  for (const ReadySweep& task : study.tasks) {
    const std::vector<ArmUse> more = arm_uses(task);
    arms.insert(arms.end(), more.begin(), more.end());
  }
  return arms;
}

/// The flags once for each environment.
std::vector<ConfigurationFlags> flags_by_environment(const ConfigurationFlags& flags) {
  if (!flags.env) return {flags};
  std::vector<ConfigurationFlags> result;
  for (const std::string& item : split_items(*flags.env, ',')) {
    result.push_back(flags);
    result.back().env = trimmed(item);
    require(!result.back().env->empty(), "--env has an empty item; expected a list such as CartPole,LQR");
  }
  return result;
}

}  // namespace

int compare_command(const CompareArguments& arguments) {
  require_effective_settings(arguments.flags.settings, parse_keep(arguments.keep));
  require_seeds("--seeds", arguments.seeds);
  require(!arguments.pick_seeds || !arguments.sweeps.empty(), "--pick-seeds: there is nothing to pick without --sweep");
  if (arguments.pick_seeds) require_seeds("--pick-seeds", *arguments.pick_seeds);
  const std::vector<Sweep> sweeps = parse_sweeps(arguments.sweeps);
  std::vector<ComparisonPlan> plans;
  for (const ConfigurationFlags& flags : flags_by_environment(arguments.flags)) {
    const Given settings = given(flags);
    require(preset_kind(settings) == PresetKind::kNone || !settings.file,
            "a comparison takes --config or a preset, not both: leave out --preset, or say --preset none");
    plans.push_back(comparison_plan(settings, {.algos = arguments.algos,
                                               .seeds = arguments.seeds,
                                               .budget = arguments.budget,
                                               .threads = threads_of_flag(arguments.threads),
                                               .reference = arguments.reference,
                                               .threshold = arguments.threshold}));
  }
  require(plans.size() == 1 || !arguments.threshold,
          "--threshold is a return, and returns differ between environments: give it with one environment only");
  const ResultsOptions options{.out = arguments.out,
                               .name = "compare__" + (plans.size() == 1 ? plans[0].base.env.id : "several"),
                               .keep = arguments.keep,
                               .flags = {{"seed", "--seed"}, {"budget", "--budget"}, {"pick_seeds", "--pick-seeds"}},
                               .command = arguments.command};
  const Index pick_seeds = sweeps.empty() ? 0 : arguments.pick_seeds.value_or(arguments.seeds);
  const ReadyStudy ready = prepare_study(plans, sweeps, pick_seeds);
  const Given settings = given(arguments.flags);
  const std::vector<ArmUse> arms = all_arms(ready);
  require_effect(given_settings(settings), arms);
  return report_study(ready, options, preset_lines(preset_kind(settings), arms, "--preset none"), arguments.json);
}

}  // namespace retropg::app
