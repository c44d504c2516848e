#include "retropg/experiment/experiment.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestQuote = 60;

bool concerns(const Claim& claim, const std::string& label) {
  return std::ranges::find(claim.candidate, label) != claim.candidate.end() ||
         std::ranges::find(claim.reference, label) != claim.reference.end();
}

/// A scale may leave less to measure than the first two points of a curve.
void require_measurable(const ReadyExperiment& ready) {
  const Index common = ready.plan.comparison.budget;
  for (std::size_t i = 0; i < ready.plan.comparison.arms.size(); ++i) {
    const Arm& arm = ready.comparison().arms[i];
    const Index budget = ready.plan.comparison.arms[i].budget.value_or(common);
    const Index batch = arm.configuration.algo.batch;
    const auto require_batches = [&](const std::string& whose, Index trajectories) {
      require(
          trajectories >= 2 * batch,
          fmt::format("{} of {} trajectories is less than two batches of arm '{}', {} each; a larger --scale would do",
                      whose, trajectories, arm.label, batch));
    };
    require_batches("the budget", budget);
    if (common != 0) require_batches("the budget", common);
    for (const Claim& claim : ready.plan.claims) {
      if (claim.budget && concerns(claim, arm.label)) {
        require_batches(fmt::format("claim '{}': its budget", one_line(claim.text, kLongestQuote)), *claim.budget);
      }
    }
  }
}

}  // namespace

ReadyExperiment prepare(const ExperimentPlan& plan, const ExperimentChoice& choice) {
  ReadyExperiment ready{.plan = at_scale(plan, choice.scale.value_or(plan.scale)), .study = {}};
  ready.plan.comparison.seeds = choice.runs.value_or(plan.paper_runs);
  ready.plan.comparison.first_seed = choice.first_seed;
  ready.plan.comparison.threads = choice.threads;
  ready.plan.pick_runs = plan.sweeps.empty() ? 0 : choice.pick_runs.value_or(plan.pick_runs);
  try {
    ready.study = prepare_study(std::span(&ready.plan.comparison, 1), parse_sweeps(plan.sweeps), ready.plan.pick_runs);
  } catch (const Error& error) {
    throw Error(plan.place + "experiment.toml: " + error.what());
  }
  ready.study.title = plan.comparison.title;
  require_measurable(ready);
  return ready;
}

ResultsPlan results_plan(const ReadyExperiment& ready) {
  ResultsPlan plan = results_plan(ready.study);
  plan.items.push_back({.name = "scale", .value = ready.plan.scale});
  return plan;
}

ExperimentResult run_experiment(const ReadyExperiment& ready, const RunProgress& progress, RunStore* store) {
  ExperimentResult result{.plan = ready.plan, .study = run_study(ready.study, progress, store), .claims = {}};
  const bool full = ready.plan.scale == 1.0;
  const Index paper_runs = ready.plan.paper_runs;
  const std::vector<Decision> decisions = decide(ready.plan.claims, result.comparison(), 0, full);
  std::vector<Decision> fewer;
  if (ready.plan.comparison.seeds > paper_runs)
    fewer = decide(ready.plan.claims, result.comparison(), paper_runs, full);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    result.claims.push_back({.claim = ready.plan.claims[i], .decision = decisions[i], .at_paper_runs = {}});
    if (!fewer.empty()) result.claims.back().at_paper_runs = fewer[i];
  }
  return result;
}

Band band_on_axis(const ComparedArm& arm, Axis axis) {
  if (axis == Axis::kCollected) return arm.curve;
  std::vector<Curve> runs;
  double end = 0.0;
  for (const Curve& run : arm.runs) {
    runs.push_back(on_axis(run, axis, arm.configuration));
    end = std::max(end, runs.back().x.back());
  }
  const std::vector<double> grid = common_grid(static_cast<Index>(end));
  for (Curve& run : runs) run = on_grid(run, grid);
  return band(runs);
}

}  // namespace retropg
