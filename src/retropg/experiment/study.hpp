#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "retropg/environment/returns.hpp"
#include "retropg/experiment/aggregate.hpp"
#include "retropg/experiment/results_plan.hpp"
#include "retropg/experiment/sweep.hpp"

namespace retropg {

/// Comparisons of the same arms on one or more environments, each arm with one or more settings.
struct ReadyStudy {
  std::string title;
  std::vector<ReadySweep> tasks;          // one per environment
  std::vector<ReferenceReturns> returns;  // of the environments, if there are several
};

/// Validates the study before anything runs. The plans differ in their environments only. Throws like `prepare_sweep`,
/// and if there are several environments and one has no reference returns, or is there twice.
ReadyStudy prepare_study(std::span<const ComparisonPlan> plans, std::span<const Sweep> sweeps, Index pick_seeds);

/// What determines the results: every setting on every environment is an arm.
ResultsPlan results_plan(const ReadyStudy& study);

struct StudyTask {
  std::string environment;
  Comparison comparison;
  std::vector<PickedSetting> settings;  // of every arm of the comparison
};

struct Study {
  std::string title;
  std::vector<StudyTask> tasks;
  std::uint64_t first_seed = 1;  // the first one for picking
  Index pick_seeds = 0;          // 0: nothing was picked
  std::vector<ReferenceReturns> returns;
  std::optional<Aggregate> aggregate;  // if there are several environments
  Index runs = 0, steps = 0;           // of all runs, also those for picking
  double seconds = 0.0;                // wall time of the runs that were not in the store
};

/// Picks settings, runs the picked ones, and analyzes them. The runs of all environments are scheduled together. Throws
/// like run_arms.
Study run_study(ReadyStudy ready, const RunProgress& progress = {}, RunStore* store = nullptr);

}  // namespace retropg
