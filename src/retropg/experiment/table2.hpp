#pragma once

#include <string>
#include <vector>

#include "retropg/experiment/results_plan.hpp"
#include "retropg/experiment/run_batch.hpp"
#include "retropg/statistics/speedup.hpp"

namespace retropg {

/// One cell of Table 2a: RPG with window omega against GPOMDP, both using n_omega trajectories per update.
struct RatioCell {
  Index omega = 0, n_omega = 0;
  Speedup ours;
  double paper = 0.0;
  Interval paper_interval{};
  bool agrees = false;  // our interval by the paper's method overlaps the paper's
};

/// One cell of Table 2b: mean seconds per run; omega = 1 is GPOMDP.
struct TimeCell {
  Index omega = 0, n_omega = 0;
  double seconds = 0.0, paper_seconds = 0.0;
};

struct Table2 {
  std::string title;
  Index runs = 0;
  std::vector<RatioCell> ratios;
  std::vector<TimeCell> times;
  std::vector<Band> curves;  // one per cell of `times`, in the same order
  Index steps = 0;
  double seconds = 0.0;  // wall time
};

struct Table2Options {
  Index runs = 0;  // 0: as many as in the paper
  std::uint64_t seed = 1;
  Index threads = 1;
  Index resamples = 200;  // of the bootstrap
};

/// experiments/table2 with its arms.
struct ReadyTable2 {
  Table2Options options;  // with the number of runs
  Table2 table;           // with the paper's numbers only
  std::vector<Arm> arms;  // one per cell of `times`
};

ReadyTable2 prepare_table2(const Table2Options& options);

/// What determines the results, as `reproduce` is given it.
ResultsPlan results_plan(const ReadyTable2& ready);

/// Runs all arms, with or without a store. Throws like run_arms.
Table2 run_table2(const ReadyTable2& ready, const RunProgress& progress = {}, RunStore* store = nullptr);

/// Label of the cell's arm.
std::string label(const TimeCell& cell);

}  // namespace retropg
