#pragma once

#include <optional>
#include <vector>

#include "retropg/statistics/curve.hpp"

namespace retropg {

// Here a curve is a step function with the value y_k on (x_{k-1}, x_k], x_0 = 0: every trajectory counts once, with its
// batch's mean.

/// Window of the running mean in trajectories, unless the budget is smaller.
inline constexpr double kRunningTrajectories = 100.0;
/// The last part of the budget, over which the final return is averaged.
inline constexpr double kFinalShare = 0.1;

/// Summary of one run.
struct RunScore {
  double area = 0.0;              // mean return over the budget, see area_under_curve
  double start = 0.0;             // mean return of the first batch
  double end = 0.0;               // mean return over the last tenth of the budget
  double fall = 0.0;              // largest drop of the running mean below its previous maximum
  std::optional<double> reached;  // trajectories until the running mean first reached the threshold
};

/// Mean of the step function over (low, high], cut off at the end of the curve; the last value if it ends before low.
double step_mean(const Curve& curve, double low, double high);

/// The running mean at x_k, the mean over (x_k - window, x_k], for every x_k >= window.
Curve running_mean(const Curve& curve, double window);

/// The first x with y >= threshold.
std::optional<double> first_reach(const Curve& curve, double threshold);

RunScore score(const Curve& curve, double budget, std::optional<double> threshold);

/// budget g / G for g = 1, ..., G: one point per trajectory, but at least 2 and at most 400.
std::vector<double> common_grid(Index budget);

/// The curve interpolated at the points of the grid.
Curve on_grid(const Curve& curve, std::span<const double> grid);

}  // namespace retropg
