#include "retropg/experiment/experiment.hpp"

#include "retropg/core/error.hpp"

namespace retropg {

ReadyExperiment prepare(const ExperimentPlan& plan, const ExperimentChoice& choice) {
  ReadyExperiment ready{.plan = at_scale(plan, choice.scale.value_or(plan.scale)), .study = {}};
  ready.plan.comparison.seeds = choice.runs.value_or(plan.paper_runs);
  ready.plan.comparison.first_seed = choice.first_seed;
  ready.plan.comparison.threads = choice.threads;
  ready.study = prepare_study(std::span(&ready.plan.comparison, 1), parse_sweeps(plan.sweeps), plan.pick_runs);
  ready.study.title = plan.comparison.title;
  return ready;
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
