#pragma once

#include <vector>

#include "retropg/experiment/experiment_plan.hpp"
#include "retropg/experiment/study.hpp"

namespace retropg {

/// What a user may choose about an experiment.
struct ExperimentChoice {
  std::optional<Index> runs{};       // default: the paper's number
  std::optional<Index> pick_runs{};  // per setting of a sweep; default: the experiment's
  std::optional<double> scale{};     // default: the experiment's
  std::uint64_t first_seed = 1;      // run r of every arm uses first_seed + r
  Index threads = 1;
};

/// A validated experiment.
struct ReadyExperiment {
  ExperimentPlan plan;  // at its scale
  ReadyStudy study;     // of one environment

  const ReadyComparison& comparison() const { return study.tasks.front().report; }
};

ReadyExperiment prepare(const ExperimentPlan& plan, const ExperimentChoice& choice);

ResultsPlan results_plan(const ReadyExperiment& ready);

struct DecidedClaim {
  Claim claim;
  Decision decision;
  std::optional<Decision> at_paper_runs;  // with the paper's number of runs, if there are more
};

struct ExperimentResult {
  ExperimentPlan plan;
  Study study;  // of one environment
  std::vector<DecidedClaim> claims;

  const Comparison& comparison() const { return study.tasks.front().comparison; }
};

/// Runs what a store does not have yet, analyzes all and decides the claims. Throws like run_arms.
ExperimentResult run_experiment(const ReadyExperiment& ready, const RunProgress& progress = {},
                                RunStore* store = nullptr);

/// The mean curve of an arm's runs with its standard error, against an axis, over the arm's budget there.
Band band_on_axis(const ComparedArm& arm, Axis axis);

}  // namespace retropg
