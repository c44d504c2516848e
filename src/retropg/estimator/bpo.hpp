#pragma once

#include "retropg/estimator/behavior_fit.hpp"
#include "retropg/estimator/estimator.hpp"

namespace retropg {

struct BpoOptions {
  Index batch = 10;
  double defensive = 0.3;  // share of the batch drawn from the current policy, at least one trajectory
  bool reuse = false;      // earlier iterations also enter the gradient
  Index window = 8;        // iterations in use, including the current one; kFullReuse for all
  BehaviorFitOptions fit{};
};

/// BPO (active importance sampling): samples where the gradient is large. The behavior with the least variance is
/// q*(tau) ~ p_theta(tau) ||g_theta(tau)||; the next behavior q is its cross-entropy projection,
///   maximize over q in the policy's class, with its own spread:  sum_n W_n log q(tau_n),
///   W_n = ||g_theta(tau_n)|| p_theta(tau_n) / sum_h a_h p_h(tau_n)     over the stored trajectories n,
/// from which all but a defensive share of the batch is drawn. With G the fresh batches (and, with reuse, those of
/// earlier iterations) and a_h the share of batch h in them,
///   g = (1/|G|) sum_{tau in G} sum_l psi_l C_l,   weights W_{0:t} = p_theta(tau_{0:t}) / sum_h a_h p_h(tau_{0:t}).
/// The first iteration has nothing to fit to and draws its batch from the policy itself.
std::unique_ptr<Estimator> bpo(const Policy& policy, const BpoOptions& options);

}  // namespace retropg
