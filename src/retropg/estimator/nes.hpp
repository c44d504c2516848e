#pragma once

#include <memory>
#include <optional>

#include "retropg/estimator/estimator.hpp"
#include "retropg/reuse/weights.hpp"

namespace retropg {

struct NesOptions {
  Index batch = 4;
  Index window = kFullReuse;        // batches, including the fresh one
  double gain = 1.5;                // eta, of the step of the means
  double mean_damping = 0.5;        // c_mu
  double deviation_damping = 30.0;  // c_sigma
  double deviation_limit = 0.1;     // largest change of a log sigma per iteration; 0: no limit
  Index leaps_from = 13;            // P from which mu leaps (estimator/leaps.hpp) and its step shrinks; 0: never
  Index recombine_from = 13;        // P from which it also recombines (estimator/recombination.hpp); 0: never
  /// The largest return there is: the search ends once five draws have reached it and so have five trajectories of what
  /// would be returned. They are tried again whenever another draw has reached it. Unset: it never ends by itself.
  std::optional<double> solved_return{};
};

/// Natural evolution strategy that reuses trajectories, for a hyperpolicy N(mu, diag sigma^2) over P parameters. With
/// the weights w and utilities u of RankUtilities, z = (theta - mu) / sigma and n the effective number of selected
/// trajectories, at most that of the window,
///   mu       <- mu + s eta n / (n + c_mu P) sigma g,               g = sum_i w_i u_i z_i
///   ln sigma <- ln sigma + n / (n + c_sigma P) 1/2 h,              h = sum_i w_i u_i (z_i^2 - 1)
/// the second only if the hyperpolicy learns its deviations. Both are natural gradients: sigma^2 and 1/2 are the
/// entries of the inverse Fisher matrix. With few parameters s = 1: the noise of g explores. With many, most of a step
/// would be noise, and the draws that a leap can reach are better than their mean; then s is that of James and Stein,
///   s = max(0, 1 - (P - 2) V / |g|^2),   V = sum_i (w_i u_i)^2, the variance of g_i were the returns mere noise.
/// With up to 12 parameters a search that stands still (estimator/standstill.hpp) widens or starts again, and what is
/// returned is the excess centroid of all draws in the window (estimator/excess_centroid.hpp), not the mean.
/// Once leaps have become rare, Recombination takes the steps if deviations are learned. No natural step of the
/// means is longer than sqrt(P) + 3 deviations.
std::unique_ptr<Estimator> nes(const Policy& hyperpolicy, Index drawn, const NesOptions& options,
                               std::unique_ptr<WeightRule> rule);

}  // namespace retropg
