#pragma once

#include <vector>

#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/reuse/window.hpp"

namespace retropg {

/// Two numbers per trajectory of a window at a target theta, in the window's order and padded with 0 to kChunk per
/// chunk.
struct LikelihoodComparison {
  std::vector<double> log_ratio;  // log p_theta(tau) - log p_behavior(tau)
  std::vector<double> renyi;      // sum_t log d_order(pi_theta || pi_behavior)
  // Intermediate results for the gradient at theta, one per batch, oldest first; may be null.
  std::vector<std::unique_ptr<EvidencePass>> passes;
};

/// Fills `result`, reusing its buffers; `order` is the order of the Renyi divergence.
void compare(const Window& window, Parameters theta, double order, const OrderedSum& sum, LikelihoodComparison& result);

enum class DivergenceEstimator {
  kProduct,  // mean_j prod_t d_order(pi_theta(.|s_t) || pi_b(.|s_t)), closed form per step
  kSample,   // mean_j rho_j^order
};

struct DivergenceOptions {
  DivergenceEstimator estimator = DivergenceEstimator::kProduct;
  double order = 2.0;  // > 1
};

/// log of the exponentiated Renyi divergence d_order(p_theta || p_behavior) = E_behavior[rho^order] of every batch,
/// estimated on the batch's own trajectories; `comparison` must have been computed with the same order. Exactly 0 for a
/// batch whose behavior is theta, infinite if the closed form is. Late batches have that of the batch they belong to,
/// from the trajectories of both.
void log_divergences(const Window& window, const LikelihoodComparison& comparison, const DivergenceOptions& options,
                     const OrderedSum& sum, std::vector<double>& result);

}  // namespace retropg
