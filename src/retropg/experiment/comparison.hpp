#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/experiment/arm_plan.hpp"
#include "retropg/statistics/bootstrap.hpp"
#include "retropg/statistics/run_score.hpp"
#include "retropg/statistics/speedup.hpp"

namespace retropg {

/// The largest speed-up that is looked for between two arms.
inline constexpr double kHighestSpeedup = 10.0;
/// Several arms with the same seeds and the same budget of collected trajectories.
struct ComparisonPlan {
  std::string title;
  Configuration base;
  std::vector<ArmPlan> arms;
  Index seeds = 10;              // runs of an arm
  std::uint64_t first_seed = 1;  // run r of every arm has first_seed + r
  Index budget = 0;
  Index threads = 1;
  std::string reference{};            // label; empty: gpomdp if there is such an arm, else the first
  std::optional<double> threshold{};  // of the running mean of a run
  Index expected_runs = 1;            // behind every expected area
};

struct ComparedArm {
  std::string label;
  Configuration configuration;  // with the first seed
  std::vector<Curve> runs;
  std::vector<RunScore> scores;  // one a run
  Band curve;                    // over the common grid
  MeanEstimate area, start, end, improvement, fall;
  double worst_fall = 0.0;
  bool improves = false;  // the t interval of the improvement, end - start of each run, is above zero
  double interquartile_area = 0.0;
  Interval interquartile_interval{};
  std::optional<double> median_reached, curve_reached;  // of the runs; and when the mean curve first is there
  Index never_reached = 0;                              // runs
  std::optional<double> expected_area;
  bool agrees = false;  // with the expected area: within t s sqrt(1/n + 1/m) of it, m the runs behind the expected one
  std::vector<double> seconds;
  Index steps = 0;
};

/// How the candidate does against the arm it is compared with; both are indices of arms.
struct ArmPair {
  std::size_t candidate = 0, reference = 0;
  double difference = 0.0;          // of the areas
  Interval welch{};                 // of the difference, as if seeds were not shared
  Interval paired{};                // Student t interval of the difference seed by seed
  double probability = 0.0;         // P(area of a candidate's run > that of a reference's run), ties half
  Interval probability_interval{};  // bootstrap; too narrow near 0 and 1
  Speedup speedup;                  // how many times as many trajectories the reference needs
};

struct Comparison {
  ComparisonPlan plan;  // without the arms that were left out
  std::vector<ComparedArm> arms;
  std::vector<ArmPair> pairs;  // every ordered pair, by candidate, then reference
  std::size_t reference = 0;
  double seconds = 0.0;  // wall time of all runs together

  const ArmPair& pair(std::size_t candidate, std::size_t compared_with) const;
  /// Indices of arms, the largest area first.
  std::vector<std::size_t> by_area() const;
};

/// A plan whose arms can be run.
struct ReadyComparison {
  ComparisonPlan plan;
  std::vector<Arm> arms;
  std::size_t reference = 0;
  Refusals refusals;
};

/// Checks all that can be wrong before anything runs; see make_arms.
ReadyComparison prepare(ComparisonPlan plan);

/// Runs and compares. Throws as run_arms does.
Comparison run_comparison(const ReadyComparison& ready, const RunProgress& progress = {});

/// What the runs say, with one ArmResult an arm; the only part that needs no simulation.
Comparison analyze(const ReadyComparison& ready, std::vector<ArmResult> results);

}  // namespace retropg
