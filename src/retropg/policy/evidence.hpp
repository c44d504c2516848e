#pragma once

#include <span>

#include "retropg/core/types.hpp"

namespace retropg {

/// What a policy keeps of a batch of trajectories from one behavior theta_b, enough to answer for any later theta.
/// Trajectories are addressed by chunks of kChunk; the last chunk is padded with trajectories that weigh nothing.
class Evidence {
 public:
  virtual ~Evidence() = default;

  /// Number of trajectories.
  virtual Index size() const = 0;

  /// For the trajectories of the chunks [first, last), kChunk numbers a chunk (padding gives 0 and 0):
  ///   log_ratio = log p_theta(tau) - log p_theta_b(tau)                        (exactly 0 at theta = theta_b)
  ///   distance  = sum_t ||mu_theta(s_t) - mu_theta_b(s_t)||^2 / sigma^2 >= 0
  /// The closed-form Renyi term of any order is a multiple of the distance: sum_t log d_order = order (order - 1) / 2
  /// times it, and order 2 gives q with d_2 = mean(e^q).
  virtual void compare(Parameters theta, Index first, Index last, double* log_ratio, double* distance) const = 0;

  /// A hint, given by one thread: `compare` at theta will be followed by `weighted_gradient` at the same theta, so what
  /// they share is worth keeping.
  virtual void expect(Parameters /*theta*/) {}

  /// One row of parameter_count numbers a chunk in [first, last): sum_j weights_j g_theta(tau_j) over its trajectories,
  /// where g_theta(tau) = sum_l credit_l grad log pi_theta(a_l | s_l). `weights` starts at the first chunk; a padding
  /// weight must be 0.
  virtual void weighted_gradient(Parameters theta, const double* weights, Index first, Index last,
                                 double* rows) const = 0;

  /// One row a chunk like `weighted_gradient`: sum_j weights_j grad_theta distance_j. For POIS; throws Error where a
  /// policy has none.
  virtual void distance_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows) const;

  /// One row a chunk like `weighted_gradient`: sum_j weights_j F_j vector, where F_j is the sum over the trajectory's
  /// decisions of the Fisher matrix of pi_theta(. | s_t), J' J / sigma^2 with J = d mu / d theta. For natural
  /// gradients; throws Error where a policy has none.
  virtual void fisher_product(Parameters theta, const double* weights, Parameters vector, Index first, Index last,
                              double* rows) const;

  /// One number a chunk: sum_j weights_j trace(F_j) with the F_j of `fisher_product`, by as many products as there are
  /// parameters; a policy of many has a cheaper way.
  virtual void fisher_trace(Parameters theta, const double* weights, Index first, Index last, double* traces) const;

  /// Chunks that are worth a task of their own when work is shared between threads.
  virtual Index grain() const { return 64; }

  /// Bytes held.
  virtual Index bytes() const = 0;

  /// Every number of the evidence, in a fixed order, for a checkpoint; `policy.restore` is the way back.
  virtual std::span<const double> numbers() const = 0;
};

}  // namespace retropg
