#pragma once

#include <memory>
#include <span>
#include <vector>

#include "retropg/estimator/estimator.hpp"
#include "retropg/parallel/ordered_sum.hpp"

namespace retropg {

/// Whether the trajectories come from the policy at theta itself: neither other parameters nor another spread.
bool drawn_from(Parameters theta, const Batch& batch);

/// A step under a limit, as it was taken.
struct LimitedStep {
  double divergence = 0.0;  // m below, at most the limit but for a millionth of it
  double factor = 1.0;      // of the step as proposed; 1: within the limit
};

/// A limit on how far one update may move the policy. The step from theta to theta' is measured on the fresh batch,
///   m = (1/N) sum_j sum_t KL(pi_theta(. | s_jt) || pi_theta'(. | s_jt)),
/// an estimate of KL(p_theta || p_theta') between the distributions of trajectories, in nats. It grows with the square
/// of the step: exactly for linear Gaussian policies, nearly for others.
class StepLimit {
 public:
  /// theta must stay as it is while this is used. Measures on the batches drawn from the policy at theta. If a method
  /// draws none in an iteration, on all of them: their states are other than the policy's, but the best at hand.
  StepLimit(double limit, Parameters theta, std::span<const Batch> fresh);

  /// Replaces a theta' with m above the limit by theta + f (theta' - theta), f = sqrt(limit / m), measures again, and
  /// shortens further until m is not above the limit. Without any step to be found, theta' becomes theta. If m is then
  /// below half of the limit, as where it grows much faster than the square, f is searched between the longest factor
  /// found to be short enough, a, and the shortest found to be too long, b: f = sqrt(a b) replaces one of the two,
  /// until m(a) is at least half of the limit, at most 30 times.
  LimitedStep shorten(std::span<double> next, const OrderedSum& sum) const;

 private:
  double divergence(Parameters next, const OrderedSum& sum) const;

  double limit_;
  Parameters theta_;
  std::vector<std::shared_ptr<const Evidence>> fresh_;
};

}  // namespace retropg
