#pragma once

#include <memory>
#include <span>

#include "retropg/core/types.hpp"

namespace retropg {

/// What `compare` at one theta leaves for `weighted_gradient` at the same theta (the activations of a network). The
/// caller owns it; evidence itself never changes.
class EvidencePass {
 public:
  virtual ~EvidencePass() = default;
};

/// What a policy keeps of a batch of trajectories from one behavior theta_b, enough to answer for any later theta.
/// Trajectories are addressed in chunks of kChunk; the last chunk is padded with trajectories of weight 0. Different
/// threads may ask about different chunks at the same time.
class Evidence {
 public:
  virtual ~Evidence() = default;

  /// Number of trajectories.
  virtual Index size() const = 0;

  /// For the trajectories of the chunks [first, last), kChunk numbers per chunk (padding gives 0 and 0):
  ///   log_ratio = log p_theta(tau) - log p_theta_b(tau)
  ///   renyi     = sum_t log d_order(pi_theta(. | s_t) || pi_theta_b(. | s_t)),  d_order(p || q) = E_q[(p / q)^order]
  /// in closed form. Both are exactly 0 at theta = theta_b; renyi is infinite where the expectation is. The policy has
  /// said that it knows the order (Policy::has_renyi). `pass` may be null.
  virtual void compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
                       EvidencePass* pass) const = 0;

  /// Prepares `pass` for one `compare` and one `weighted_gradient` at theta, reusing its buffers if it has any. Null
  /// where the two share nothing.
  virtual void begin_pass(Parameters theta, std::unique_ptr<EvidencePass>& pass) const;

  /// One row of parameter_count numbers per chunk in [first, last): sum_j weights_j g_theta(tau_j) over its
  /// trajectories, where g_theta(tau) = sum_l credit_l grad log pi_theta(a_l | s_l). `weights` starts at the first
  /// chunk; padding must have weight 0. `pass` may be null.
  virtual void weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                                 EvidencePass* pass) const = 0;

  /// Chunks worth a task of their own when work is shared between threads.
  virtual Index grain() const { return kCheapGrain; }

  /// Every number of the evidence in a fixed order, for a checkpoint; `Policy::restore` is the way back.
  virtual std::span<const double> numbers() const = 0;
};

// What only some families of policies can answer. A policy says whether its evidence does (Policy::provides), and an
// estimator asks once, when it is made.

/// Capability::kFisher: natural gradients.
class FisherEvidence {
 public:
  virtual ~FisherEvidence() = default;
  /// One row per chunk as in `weighted_gradient`: sum_j weights_j F_j vector, where F_j is the sum over the
  /// trajectory's decisions of the Fisher matrix of pi_theta(. | s_t).
  virtual void fisher_product(Parameters theta, const double* weights, Parameters vector, Index first, Index last,
                              double* rows) const = 0;
  /// One number per chunk: sum_j weights_j trace(F_j). By as many products as there are parameters, unless overridden.
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

/// Capability::kSteps: for estimators that weigh every decision by itself.
class StepwiseEvidence : public Evidence {
 public:
  /// Number of the first step of a trajectory; that of `size()` is the number of steps.
  virtual Index first_step(Index trajectory) const = 0;

  /// Numbers in a step's credit: 1, or one for each parameter (a baseline of its own for each).
  virtual Index credit_width() const = 0;

  /// The credits of the steps of the chunks [first, last) in order, credit_width() per step.
  virtual void step_credits(Index first, Index last, double* credits) const = 0;

  /// log pi_theta(a_t | s_t) of the steps of the chunks [first, last) in order, up to a term that theta does not
  /// change. The same theta gives the same bits, so the log-ratio of theta with itself is exactly 0.
  virtual void step_log_densities(Parameters theta, Index first, Index last, double* log_densities) const = 0;

  /// KL(pi_theta(. | s_t) || pi_other(. | s_t)) of the same steps.
  virtual void step_divergences(Parameters theta, Parameters other, Index first, Index last,
                                double* divergences) const = 0;

  /// One row of parameter_count numbers per chunk in [first, last): sum_t weights_t grad log pi_theta(a_t | s_t) over
  /// its steps. `weights` starts at the first chunk's first step and has credit_width() numbers per step; more than one
  /// multiply the components of the score.
  virtual void weighted_score(Parameters theta, const double* weights, Index first, Index last, double* rows) const = 0;
};

/// The evidence as one of the interfaces above, which its policy provides.
template <class Interface>
const Interface& as(const Evidence& evidence) {
  return dynamic_cast<const Interface&>(evidence);
}

}  // namespace retropg
