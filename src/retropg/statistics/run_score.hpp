#pragma once

#include <optional>
#include <vector>

#include "retropg/statistics/curve.hpp"

namespace retropg {

// A curve is read as a step function here: its k-th value stands on (x_{k-1}, x_k], with x_0 = 0, so that every
// trajectory counts once, with its batch's mean.

/// Where running means look back to; a shorter budget has a shorter window.
inline constexpr double kRunningTrajectories = 100.0;
/// The last part of the budget, over which the final return is the mean.
inline constexpr double kFinalShare = 0.1;

/// What one run came to.
struct RunScore {
  double area = 0.0;              // mean return over the budget, see area_under_curve
  double start = 0.0;             // mean return of the first batch
  double end = 0.0;               // mean return over the last tenth of the budget
  double fall = 0.0;              // the most the running mean ever fell below its own maximum so far
  std::optional<double> reached;  // trajectories after which the running mean first was at the threshold or above
};

/// Mean of the step function over (low, high], as far as the curve goes; the last value if it ends before low.
double step_mean(const Curve& curve, double low, double high);

/// The running mean at x_k, the mean over (x_k - window, x_k], for every x_k >= window.
Curve running_mean(const Curve& curve, double window);

/// The first x at which the curve is at the threshold or above.
std::optional<double> first_reach(const Curve& curve, double threshold);

RunScore score(const Curve& curve, double budget, std::optional<double> threshold);

/// `budget` g / G for g = 1 ... G: one point a trajectory up to 400, and at least two.
std::vector<double> common_grid(Index budget);

/// The curve's values at the points of the grid: linear between its points, the first and the last held.
Curve on_grid(const Curve& curve, std::span<const double> grid);

}  // namespace retropg
