#pragma once

#include <span>

#include "retropg/reuse/weights.hpp"

namespace retropg {

/// A policy's mean return, estimated from weighted trajectories.
struct ReturnEstimate {
  double mean = 0.0;
  double variance = 0.0;   // of a return, weighted: that of the mean is variance / (effective - 1)
  double effective = 0.0;  // the number of equally weighted trajectories they are worth; 0: nothing is known
  Index trajectories = 0;
  double smallest = 0.0, largest = 0.0;        // of the returns
  double at_smallest = 0.0, at_largest = 0.0;  // shares of the weight of those that are equal to it
};

/// Weights w = c / sum c: mean sum w R, variance n sum w^2 (R - mean)^2, effective n = 1 / sum w^2. Nothing is known if
/// no weight is positive or a sum is not finite.
ReturnEstimate return_estimate(std::span<const double> c, std::span<const double> returns);

/// Of equal weights.
ReturnEstimate return_estimate(std::span<const double> returns);

/// The estimate at the target of the weights, from the returns of the trajectories of the window; without those of its
/// last `newest` entries.
ReturnEstimate return_estimate(const Window& window, const Weights& weights, Index newest = 0);

}  // namespace retropg
