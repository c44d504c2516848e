#pragma once

#include <memory>
#include <span>

#include "retropg/core/types.hpp"

namespace retropg {

/// Intermediate results, such as the activations of a network, that `compare` saves for `weighted_gradient` at the same
/// theta. The caller owns them, so evidence itself never changes.
class EvidencePass {
 public:
  virtual ~EvidencePass() = default;
};

/// What a policy stores about a batch of trajectories drawn at one behavior theta_b: enough to compute likelihood
/// ratios, divergences and gradients at any later theta. Trajectories are addressed in chunks of kChunk; the last chunk
/// is padded with trajectories of weight 0. Threads may work on different chunks at the same time.
class Evidence {
 public:
  virtual ~Evidence() = default;

  /// Number of trajectories.
  virtual Index size() const = 0;

  /// Computes, in closed form, two numbers per trajectory of the chunks [first, last), including padding, which gets 0:
  ///   log_ratio = log p_theta(tau) - log p_theta_b(tau)
  ///   renyi     = sum_t log d_order(pi_theta(. | s_t) || pi_theta_b(. | s_t)),  d_order(p || q) = E_q[(p / q)^order]
  /// log E_q[(p / q)^order] is (order - 1) times the Renyi divergence of that order; it is what `renyi` means here.
  /// Both are exactly 0 at theta = theta_b; renyi is infinite where the expectation is. Requires
  /// Policy::has_renyi(order). `pass` may be null.
  virtual void compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
                       EvidencePass* pass) const = 0;

  /// Prepares `pass` for one `compare` and one `weighted_gradient` at theta, reusing its buffers if it has any. `pass`
  /// becomes null if `compare` saves nothing for `weighted_gradient`.
  virtual void begin_pass(Parameters theta, std::unique_ptr<EvidencePass>& pass) const;

  /// One row of parameter_count numbers per chunk in [first, last): sum_j weights_j g_theta(tau_j) over its
  /// trajectories, where g_theta(tau) = sum_l credit_l grad log pi_theta(a_l | s_l). `weights` starts at the first
  /// chunk; padding must have weight 0. `pass` may be null.
  virtual void weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                                 EvidencePass* pass) const = 0;

  /// The number of chunks per task when work is split between threads; does not affect the result.
  virtual Index grain() const { return kCheapGrain; }

  /// All numbers of the evidence in a fixed order, for a saved state; `Policy::restore` rebuilds the evidence from
  /// them.
  virtual std::span<const double> numbers() const = 0;
};

// Interfaces that only the evidence of some policies implements. Policy::provides tells which; an estimator checks
// once, when it is constructed.

/// Capability::kFisher: for natural gradients.
class FisherEvidence {
 public:
  virtual ~FisherEvidence() = default;
  /// One row per chunk as in `weighted_gradient`: sum_j weights_j F_j vector, where F_j is the sum over the
  /// trajectory's decisions of the Fisher matrix of pi_theta(. | s_t).
  virtual void fisher_product(Parameters theta, const double* weights, Parameters vector, Index first, Index last,
                              double* rows) const = 0;
  /// One number per chunk: sum_j weights_j trace(F_j). The default computes one Fisher product per parameter.
  virtual void fisher_trace(Parameters theta, const double* weights, Index first, Index last, double* traces) const;
};

/// Capability::kRenyiGradient: for POIS.
class RenyiGradientEvidence {
 public:
  virtual ~RenyiGradientEvidence() = default;
  /// One row per chunk as in `weighted_gradient`: sum_j weights_j grad_theta renyi_j for the order 2. Not finite where
  /// renyi_j is infinite.
  virtual void renyi_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows) const = 0;
};

/// Capability::kDivergence: for a limit on the step.
class DivergenceEvidence {
 public:
  virtual ~DivergenceEvidence() = default;
  /// One number per trajectory of the chunks [first, last), 0 for padding: sum_t KL(pi_theta(. | s_t) ||
  /// pi_other(. | s_t)) over the states of the trajectory, from whichever behavior. Exactly 0 at theta = other.
  virtual void divergences(Parameters theta, Parameters other, Index first, Index last, double* divergences) const = 0;
};

/// Capability::kDrawnParameters: for estimators that evaluate drawn parameters once more.
class DrawnParametersEvidence {
 public:
  virtual ~DrawnParametersEvidence() = default;
  /// The parameters that a trajectory acted with.
  virtual Parameters drawn_parameters(Index trajectory) const = 0;
};

/// Capability::kSteps: for estimators that weight decisions individually.
class StepwiseEvidence : public Evidence, public DivergenceEvidence {
 public:
  /// Adds up `step_divergences` in order.
  void divergences(Parameters theta, Parameters other, Index first, Index last, double* divergences) const override;

  /// The index of a trajectory's first step; first_step(size()) is the total number of steps.
  virtual Index first_step(Index trajectory) const = 0;

  /// The number of values in a step's credit: 1, or one per parameter if each parameter has its own baseline.
  virtual Index credit_width() const = 0;

  /// The credits of the steps of the chunks [first, last) in order, credit_width() per step.
  virtual void step_credits(Index first, Index last, double* credits) const = 0;

  /// log pi_theta(a_t | s_t) of the steps of the chunks [first, last) in order, up to a term that does not depend on
  /// theta. The same theta gives the same bits, so the log-ratio of theta with itself is exactly 0.
  virtual void step_log_densities(Parameters theta, Index first, Index last, double* log_densities) const = 0;

  /// KL(pi_theta(. | s_t) || pi_other(. | s_t)) of the same steps.
  virtual void step_divergences(Parameters theta, Parameters other, Index first, Index last,
                                double* divergences) const = 0;

  /// One row of parameter_count numbers per chunk in [first, last): sum_t weights_t grad log pi_theta(a_t | s_t) over
  /// its steps. `weights` starts at the first chunk's first step and has credit_width() numbers per step; if more than
  /// one, each multiplies its component of the score.
  virtual void weighted_score(Parameters theta, const double* weights, Index first, Index last, double* rows) const = 0;
};

/// Casts the evidence to one of the interfaces above, which its policy must provide.
template <class Interface>
const Interface& as(const Evidence& evidence) {
  return dynamic_cast<const Interface&>(evidence);
}

}  // namespace retropg
