#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "retropg/experiment/comparison.hpp"

namespace retropg {

/// What trajectories a curve is drawn or measured against.
enum class Axis { kCollected, kUsed };

/// The run against that axis. Used trajectories are those of `algo.window` batches: an arm that reuses none sets it
/// to 1.
Curve on_axis(const Curve& run, Axis axis, const Configuration& configuration);

/// How a claim is decided.
enum class Check {
  kAhead,      // candidate's mean > factor times the reference's
  kSimilar,    // the means differ by at most `margin`
  kNotBehind,  // candidate's mean > reference's mean - margin
  kBelow,      // candidate's mean < value
  kAbove,      // candidate's mean > value
  kMoreOften,  // more of candidate's runs than of the reference's have a measure above `value`
  kRatio,      // the speed-up's interval by the paper's method overlaps `paper_interval`; has no `measure`
};

/// What is measured of a run. `kReached`: trajectories until the running mean reaches `value`, or the budget.
enum class Measure { kArea, kEnd, kFall, kReached, kSeconds };

/// A claim in words with the check that decides it.
struct Claim {
  std::string text;
  Check check = Check::kAhead;
  Measure measure = Measure::kArea;
  Axis axis = Axis::kCollected;
  std::vector<std::string> candidate, reference;  // labels; of several arms, each seed's mean counts
  std::optional<Index> budget{};                  // on the axis; default: the candidate's
  double margin = 0.0, factor = 1.0, value = 0.0;
  double highest_ratio = 0.0, paper_ratio = 0.0;
  Interval paper_interval{};
  bool full_scale = false;  // shorter runs than the paper's do not decide it
};

/// Short runs are alike because nothing has been learned, and the paper's ratio belongs to its budget.
bool needs_full_scale(const Claim& claim);

enum class Verdict { kHolds, kDoesNotHold, kNotDecided };
/// "holds", "does not hold" or "not decided at this scale".
std::string name_of(Verdict verdict);

/// Level of the decisions: the chance that any verdict of an experiment is wrong is at most 1 - kClaimLevel.
inline constexpr double kClaimLevel = 0.95;

struct Decision {
  Verdict verdict = Verdict::kNotDecided;
  Index runs = 0;                    // per arm
  double estimate = 0.0;             // a difference of means, a mean, a difference of shares or a ratio
  Interval interval{};               // 95 %, not adjusted
  std::optional<double> adjusted_p;  // Holm's, two-sided; none for a ratio, and if the runs are too short
  std::string statistic;             // in words
};

/// Decides claims from the first `runs` runs of every arm (0: all), with Holm's correction over all that can be decided
/// with runs of this length. A test
/// that is significant in the direction of the claim makes it hold, in the other direction not hold. `full_scale`: the
/// runs are as long as the paper's.
std::vector<Decision> decide(std::span<const Claim> claims, const Comparison& comparison, Index runs, bool full_scale);

}  // namespace retropg
