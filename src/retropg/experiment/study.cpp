#include "retropg/experiment/study.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"

namespace retropg {
namespace {

ReferenceReturns needed_returns(const ComparisonPlan& plan) {
  const EnvironmentDefinition environment = make_environment(plan.base, plan.environment);
  const std::optional<ReferenceReturns> returns = reference_returns(environment);
  require(returns.has_value(),
          fmt::format("{} has no reference returns for env.horizon = {} and env.discount = {}, by which the scores of "
                      "several environments are normalized: use its defaults, or compare on it alone",
                      environment.id, environment.horizon, environment.discount));
  return *returns;
}

const std::string& environment_of(const ReadySweep& task) {
  return task.report.plan.base.env.id;
}

/// An arm as the store knows it: unique among all environments. Long runs start first.
Arm stored(Arm arm, const ReadyStudy& study, const ReadySweep& task) {
  if (study.tasks.size() > 1) arm.label = environment_of(task) + "/" + arm.label;
  arm.cost = static_cast<double>(arm.configuration.train.budget) *
             static_cast<double>(make_environment(arm.configuration, arm.environment).horizon);
  return arm;
}

Index seeds_of(const ReadyStudy& study) {
  return study.tasks.front().report.plan.seeds;
}

Index arm_count(const ReadyStudy& study) {
  Index count = 0;
  for (const ReadySweep& task : study.tasks) count += std::ssize(task.settings);
  return count;
}

/// The settings of arms that have several: those that must be run for picking.
std::vector<Arm> arms_to_pick_from(const ReadyStudy& study) {
  std::vector<Arm> arms;
  for (const ReadySweep& task : study.tasks) {
    for (const std::vector<Arm>& settings : task.settings) {
      if (settings.size() < 2) continue;
      for (const Arm& setting : settings) arms.push_back(stored(setting, study, task));
    }
  }
  return arms;
}

/// Two batches of runs with one progress.
class TwoBatches {
 public:
  TwoBatches(Index first, Index second, const RunProgress& progress)
      : first_(first), total_(first + second), progress_(progress) {}

  template <typename Run>
  std::vector<ArmResult> run_first(const Run& run) {
    return watched(run, 0, [this](const RunsDone& runs) { return runs.done == first_ || report(0, runs); });
  }
  template <typename Run>
  std::vector<ArmResult> run_second(const Run& run) {
    return watched(run, first_, [this](const RunsDone& runs) { return report(first_, runs); });
  }

 private:
  bool report(Index before, const RunsDone& runs) {
    return !progress_ || progress_({.done = before + runs.done, .total = total_, .under_way = runs.under_way});
  }

  template <typename Run>
  std::vector<ArmResult> watched(const Run& run, Index before, const RunProgress& progress) {
    try {
      return run(progress);
    } catch (const ExperimentStopped& stopped) {
      throw ExperimentStopped(before + stopped.done, total_);
    }
  }

  Index first_, total_;
  const RunProgress& progress_;
};

/// Picks a setting for every arm. `results` are those of arms_to_pick_from.
std::vector<PickedSetting> pick(ReadySweep& task, std::span<const ArmResult>& results) {
  std::vector<PickedSetting> picked;
  std::vector<std::size_t> picks;
  for (std::size_t i = 0; i < task.settings.size(); ++i) {
    const std::size_t count = task.settings[i].size();
    picked.push_back(pick_setting(task, i, results.first(count < 2 ? 0 : count)));
    results = results.subspan(count < 2 ? 0 : count);
    picks.push_back(picked.back().picked);
  }
  set_picks(task, picks);
  return picked;
}

/// The picked settings under the labels of their settings, which are those of the store.
std::vector<Arm> picked_arms(const ReadyStudy& study, std::span<const StudyTask> tasks) {
  std::vector<Arm> arms;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (std::size_t i = 0; i < tasks[t].settings.size(); ++i) {
      arms.push_back(stored(study.tasks[t].settings[i][tasks[t].settings[i].picked], study, study.tasks[t]));
    }
  }
  return arms;
}

void add_cost(Study& study, std::span<const ArmResult> results) {
  for (const ArmResult& result : results) {
    study.runs += std::ssize(result.curves);
    study.steps += result.steps;
  }
}

std::vector<Comparison> analyze_all(const ReadyStudy& study, std::vector<ArmResult> results) {
  std::vector<Comparison> comparisons;
  auto next = std::make_move_iterator(results.begin());
  for (const ReadySweep& task : study.tasks) {
    const auto count = std::ssize(task.settings);
    comparisons.push_back(analyze(task.report, std::vector<ArmResult>(next, next + count)));
    next += count;
  }
  return comparisons;
}

}  // namespace

ReadyStudy prepare_study(std::span<const ComparisonPlan> plans, std::span<const Sweep> sweeps, Index pick_seeds) {
  ReadyStudy study;
  std::vector<std::string> environments;
  for (const ComparisonPlan& plan : plans) {
    const std::string& id = plan.base.env.id;
    require(std::ranges::find(environments, id) == environments.end(), fmt::format("--env names {} twice", id));
    environments.push_back(id);
    if (plans.size() > 1) study.returns.push_back(needed_returns(plan));
  }
  for (const ComparisonPlan& plan : plans) study.tasks.push_back(prepare_sweep(plan, sweeps, pick_seeds));
  study.title = fmt::format("Comparison on {}", fmt::join(environments, ", "));
  return study;
}

ResultsPlan results_plan(const ReadyStudy& study) {
  const ReadySweep& first = study.tasks.front();
  ResultsPlan plan{.items = {{.name = "title", .value = study.title, .fixed = false},
                             {.name = "seeds", .value = seeds_of(study), .fixed = false},
                             {.name = "seed", .value = static_cast<Index>(first.first_seed)},
                             {.name = "budget", .value = first.report.plan.budget}},
                   .arms = {}};
  if (first.pick_seeds > 0) plan.items.push_back({.name = "pick_seeds", .value = first.pick_seeds});
  for (const ReadySweep& task : study.tasks) {
    for (const std::vector<Arm>& settings : task.settings) {
      for (const Arm& setting : settings) plan.arms.push_back(stored(setting, study, task));
    }
  }
  return plan;
}

Study run_study(ReadyStudy ready, const RunProgress& progress, RunStore* store) {
  const auto start = std::chrono::steady_clock::now();
  const Index threads = ready.tasks.front().report.plan.threads, seeds = seeds_of(ready);
  Study study{.title = ready.title,
              .tasks = {},
              .first_seed = ready.tasks.front().first_seed,
              .pick_seeds = ready.tasks.front().pick_seeds,
              .returns = ready.returns,
              .aggregate = {}};
  const std::vector<Arm> candidates = arms_to_pick_from(ready);
  TwoBatches batches(std::ssize(candidates) * study.pick_seeds, arm_count(ready) * seeds, progress);
  const std::vector<ArmResult> tried = batches.run_first([&](const RunProgress& report) {
    return run_arms(candidates, study.pick_seeds, shared_seeds(study.first_seed), threads, report, store);
  });
  std::span<const ArmResult> left = tried;
  for (ReadySweep& task : ready.tasks) {
    std::vector<PickedSetting> picked = pick(task, left);
    study.tasks.push_back({.environment = environment_of(task), .comparison = {}, .settings = std::move(picked)});
  }

  const std::vector<Arm> picked = picked_arms(ready, study.tasks);
  const std::uint64_t first_seed = ready.tasks.front().report.plan.first_seed;
  std::vector<ArmResult> results = batches.run_second([&](const RunProgress& report) {
    return run_arms(picked, seeds, shared_seeds(first_seed), threads, report, store);
  });
  add_cost(study, tried);
  add_cost(study, results);
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<Comparison> comparisons = analyze_all(ready, std::move(results));
  if (comparisons.size() > 1) study.aggregate = aggregate(comparisons, ready.returns);
  for (std::size_t t = 0; t < comparisons.size(); ++t) {
    study.tasks[t].comparison = std::move(comparisons[t]);
    study.tasks[t].comparison.seconds = study.seconds;
  }
  return study;
}

}  // namespace retropg
