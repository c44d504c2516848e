#pragma once

#include <span>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// One run: x = trajectories collected once the batch is in (strictly increasing), y = the batch's mean return.
struct Curve {
  std::vector<double> x, y;
};

/// Throws Error unless the curve has points, as many y as x, and x strictly increases. The functions below call it.
void require_valid(const Curve& curve);

/// Linear between the points; outside them the first or the last value is held.
double interpolate(const Curve& curve, double x);

/// The same for every x of an increasing grid, in one pass.
std::vector<double> interpolate(const Curve& curve, std::span<const double> grid);

/// Mean return over the first `budget` trajectories: sum_k (x_k - x_{k-1}) y_k / sum_k (x_k - x_{k-1}) over the points
/// with x_k <= budget, where x_0 = 0. Every trajectory counts once, with its batch's mean: for equal batches this is
/// the plain mean of y, and a curve whose batches vary in size is not bent towards the small ones. A batch that ends
/// after the budget is left out whole.
double area_under_curve(const Curve& curve, double budget);

/// Pointwise over runs: mean and s / sqrt(n), with n - 1 in the denominator of s^2. One run has standard error 0, so
/// look at `runs` before drawing an interval.
struct Band {
  std::vector<double> x, mean, standard_error;
  Index runs = 0;
};

/// On the grid of the first run: a run on another grid is first interpolated linearly on it.
Band band(std::span<const Curve> runs);

}  // namespace retropg
