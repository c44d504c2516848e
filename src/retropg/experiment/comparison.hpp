#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/experiment/arm_plan.hpp"
#include "retropg/statistics/bootstrap.hpp"
#include "retropg/statistics/run_score.hpp"
#include "retropg/statistics/speedup.hpp"

namespace retropg {

/// The highest speed-up in the search between two arms.
inline constexpr double kHighestSpeedup = 10.0;
/// Of its bootstrap interval.
inline constexpr Index kSpeedupResamples = 200;

/// Several arms with the same seeds and the same budget of collected trajectories.
struct ComparisonPlan {
  std::string title;
  Configuration base;
  std::vector<ArmPlan> arms;
  Index seeds = 10;              // runs per arm
  std::uint64_t first_seed = 1;  // run r of every arm uses first_seed + r
  Index budget = 0;  // collected trajectories per run; areas are taken over them, also of arms with longer runs
  Index threads = 1;
  std::string reference{};            // label; empty: gpomdp if there is such an arm, otherwise the first
  std::optional<double> threshold{};  // for the running mean of a run
  std::optional<EnvironmentDefinition> environment{};  // if it is handed over
};

struct ComparedArm {
  std::string label;
  Configuration configuration;  // with the first seed
  Index budget = 0;             // over which its area is taken
  std::size_t reference = 0;    // index of the arm it is compared with
  std::vector<Curve> runs;
  std::vector<RunScore> scores;  // one per run
  Band curve;                    // on the common grid
  MeanEstimate area, start, end, improvement, fall;
  double worst_fall = 0.0;
  bool improves = false;  // the t interval of the improvement (end - start per run) is above zero
  double interquartile_area = 0.0;
  Interval interquartile_interval{};
  std::optional<double> median_reached, curve_reached;  // threshold reached: median over runs; by the mean curve
  Index never_reached = 0;                              // number of runs
  std::optional<MeanEstimate> expected;
  bool agrees = false;  // the difference from the expected area is within t times its standard error
  std::vector<double> seconds;
  Index steps = 0;
};

/// How the candidate does against the arm it is compared with; both are indices of arms.
struct ArmPair {
  std::size_t candidate = 0, reference = 0;
  double difference = 0.0;          // of the areas
  Interval welch{};                 // of the difference, treating the arms as independent
  Interval paired{};                // Student t interval of the per-seed difference
  double probability = 0.0;         // P(area of a candidate's run > area of a reference's run), ties count half
  Interval probability_interval{};  // bootstrap; too narrow near 0 and 1
  Speedup speedup;                  // how many times as many trajectories the reference needs
};

/// The area of every run.
std::vector<double> areas(const ComparedArm& arm);

struct Comparison {
  ComparisonPlan plan;  // without the arms that were left out
  std::vector<ComparedArm> arms;
  std::vector<ArmPair> pairs;  // every ordered pair of arms with the same budget, by candidate, then reference
  double seconds = 0.0;        // wall time of the runs that were not in the store

  /// Null if there is no such arm.
  const ComparedArm* find(const std::string& label) const;
  /// Throws Error if there is no such pair.
  const ArmPair& pair(std::size_t candidate, std::size_t compared_with) const;
  /// Whether every arm is compared with the same one.
  bool has_one_reference() const;
  /// Indices of arms as they are listed: the largest area first if all are compared with the same arm, else as planned.
  std::vector<std::size_t> order() const;
};

/// A validated plan with its arms.
struct ReadyComparison {
  ComparisonPlan plan;
  std::vector<Arm> arms;
  std::vector<std::size_t> references;  // one per arm
  Refusals refusals;
};

/// Validates the plan before anything runs; see make_arms.
ReadyComparison prepare(ComparisonPlan plan);

/// Computes the statistics from one ArmResult per arm, without simulation.
Comparison analyze(const ReadyComparison& ready, std::vector<ArmResult> results);

}  // namespace retropg
