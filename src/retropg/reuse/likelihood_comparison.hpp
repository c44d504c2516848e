#pragma once

#include <vector>

#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/reuse/window.hpp"

namespace retropg {

/// Two numbers for every trajectory of a window at a target theta, kChunk per chunk in the window's order; padding is
/// 0.
struct LikelihoodComparison {
  std::vector<double> log_ratio;  // log p_theta(tau) - log p_behavior(tau)
  std::vector<double> renyi;      // sum_t log d_order(pi_theta || pi_behavior)
  // What each batch's evidence keeps for the gradient at theta, oldest batch first; may be null.
  std::vector<std::unique_ptr<EvidencePass>> passes;
};

/// Fills `result`, whose buffers are kept between calls; `order` is that of the Renyi divergence.
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
/// estimated on the batch's own trajectories; the comparison was made with this order. Exactly 0 for a batch whose
/// behavior is theta, infinite if the closed form is.
void log_divergences(const Window& window, const LikelihoodComparison& comparison, const DivergenceOptions& options,
                     const OrderedSum& sum, std::vector<double>& result);

}  // namespace retropg
