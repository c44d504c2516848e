#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "retropg/experiment/run_batch.hpp"
#include "retropg/experiment/speedup.hpp"

namespace retropg {

/// One cell of Table 2a: RPG with window omega against GPOMDP, both with n_omega trajectories in an update.
struct RatioCell {
  Index omega = 0, n_omega = 0;
  Speedup ours;
  double paper = 0.0;
  Interval paper_interval{};
  bool agrees = false;  // our interval, found the paper's way, overlaps the paper's
};

/// One cell of Table 2b: mean seconds a run; omega = 1 is GPOMDP.
struct TimeCell {
  Index omega = 0, n_omega = 0;
  double seconds = 0.0, paper_seconds = 0.0;
};

struct Table2 {
  std::string title;
  Index runs = 0;
  std::vector<RatioCell> ratios;
  std::vector<TimeCell> times;
  std::vector<Band> curves;  // one a cell of `times`, in the same order
  Index steps = 0;
  double seconds = 0.0;  // wall time of all runs together
};

struct Table2Options {
  Index runs = 0;  // 0: the paper's
  std::uint64_t seed = 1;
  Index threads = 1;
  Index resamples = 200;  // of the bootstrap
};

/// Runs experiments/table2. Throws as run_arms does.
Table2 run_table2(const Table2Options& options, const RunProgress& progress = {});

/// The table for a terminal.
std::string format_table2(const Table2& table);

/// {"table2a": [...], "table2b": [...], ...} as one JSON object.
std::string table2_json(const Table2& table, const std::filesystem::path& folder);

/// Writes curves.csv, table2a.csv and table2b.csv and draws figure.png and figure.svg into an existing folder. False,
/// and one line in `problem`, if the figure could not be drawn.
bool write_table2(const Table2& table, const std::filesystem::path& folder, std::string* problem);

}  // namespace retropg
