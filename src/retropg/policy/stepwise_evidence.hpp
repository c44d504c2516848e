#pragma once

#include "retropg/policy/evidence.hpp"

namespace retropg {

/// Evidence made of steps, for estimators that weigh every decision on its own.
class StepwiseEvidence : public Evidence {
 public:
  /// Number of the first step of a trajectory; that of `size()` is the number of steps.
  virtual Index first_step(Index trajectory) const = 0;

  /// log pi_theta(a_t | s_t) - log pi_other(a_t | s_t) of the steps of the chunks [first, last), in order.
  virtual void step_log_ratios(Parameters theta, Parameters other, Index first, Index last, double* ratios) const = 0;

  /// One row of parameter_count numbers a chunk in [first, last): sum_t weights_t grad log pi_theta(a_t | s_t) over its
  /// steps. `weights` starts at the first chunk's first step.
  virtual void weighted_score(Parameters theta, const double* weights, Index first, Index last, double* rows) const = 0;
};

}  // namespace retropg
