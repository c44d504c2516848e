#pragma once

#include <span>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// One run: x = trajectories collected up to and including a batch (strictly increasing), y = the batch's mean return.
struct Curve {
  std::vector<double> x, y;
};

/// Throws Error unless the curve has points, equally many x and y, and strictly increasing x. Called by all functions
/// below.
void require_valid(const Curve& curve);

/// Linear between the points, constant outside them.
double interpolate(const Curve& curve, double x);

/// The same for every x of an increasing grid, in one pass.
std::vector<double> interpolate(const Curve& curve, std::span<const double> grid);

/// Mean return over the first `budget` trajectories: sum_k (x_k - x_{k-1}) y_k / sum_k (x_k - x_{k-1}) over the points
/// with x_k <= budget, where x_0 = 0. Every trajectory has the same weight, so batches count by their size; for equal
/// batches this is the plain mean of y. A batch that ends after the budget is left out entirely.
double area_under_curve(const Curve& curve, double budget);

/// The points with x <= budget.
Curve cut(const Curve& curve, double budget);

/// The same run against used trajectories: the sum over the updates so far of the trajectories in a window of `window`
/// batches, a reused one counting again with every update.
Curve against_used(const Curve& curve, Index window);

/// Pointwise mean and standard error s / sqrt(n) over runs, with n - 1 in the denominator of s^2. The standard error of
/// a single run is set to 0, so check `runs` before drawing an interval.
struct Band {
  std::vector<double> x, mean, standard_error;
  Index runs = 0;
};

/// On the grid of the first run; runs on other grids are interpolated linearly.
Band band(std::span<const Curve> runs);

}  // namespace retropg
