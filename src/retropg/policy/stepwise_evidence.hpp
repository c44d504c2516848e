#pragma once

#include "retropg/policy/evidence.hpp"

namespace retropg {

/// Evidence made of steps, for estimators that weigh every decision on its own.
class StepwiseEvidence : public Evidence {
 public:
  /// Number of the first step of a trajectory; that of `size()` is the number of steps.
  virtual Index first_step(Index trajectory) const = 0;

  /// Numbers in a step's credit: 1, or one for each parameter (a baseline of its own for each).
  virtual Index credit_width() const = 0;

  /// The credits of the steps of the chunks [first, last), in order, credit_width() a step.
  virtual void step_credits(Index first, Index last, double* credits) const = 0;

  /// ||a_t - mu_theta(s_t)||^2 / sigma^2 of the steps of the chunks [first, last), in order: minus twice the
  /// log-density but for a constant. The same theta gives the same bits, so a log-ratio of theta with itself is exactly
  /// 0.
  virtual void step_squares(Parameters theta, Index first, Index last, double* squares) const = 0;

  /// ||mu_theta(s_t) - mu_other(s_t)||^2 / sigma^2 of the same steps: twice the divergence between their actions.
  virtual void step_distances(Parameters theta, Parameters other, Index first, Index last, double* distances) const = 0;

  /// One row of parameter_count numbers a chunk in [first, last): sum_t weights_t grad log pi_theta(a_t | s_t) over its
  /// steps. `weights` starts at the first chunk's first step and has credit_width() numbers a step; more than one
  /// multiply the components of the score.
  virtual void weighted_score(Parameters theta, const double* weights, Index first, Index last, double* rows) const = 0;
};

/// The same evidence as steps; throws Error, with the name of the method that needs them, if it is not made of steps.
const StepwiseEvidence& stepwise(const Evidence& evidence, const char* method);

}  // namespace retropg
