#pragma once

#include <memory>
#include <vector>

#include "retropg/reuse/coefficients.hpp"
#include "retropg/reuse/likelihood_comparison.hpp"

namespace retropg {

/// Plain importance weights are truncated at this log weight, and the truncated ones are counted; sums of e^300 do not
/// overflow a double.
inline constexpr double kLogWeightCap = 300.0;

/// The coefficient c of every trajectory in  sum_ij c_ij g_theta(tau_ij),  in the window's order; padding has weight 0.
struct Weights {
  std::vector<double> c;
  std::vector<double> factor;                 // what gradients are multiplied by if that is not c; else empty
  std::vector<double> log_divergence;         // one per batch
  std::vector<double> log_alpha, log_lambda;  // one per batch; empty if the rule has none
  Index saturated = 0;                        // number of truncated weights
};

/// A rule that turns log-likelihood ratios into weights.
class WeightRule {
 public:
  virtual ~WeightRule() = default;
  /// The order of the Renyi divergence the rule needs.
  virtual double order() const { return 2.0; }
  /// Whether the rule weighs the values of the trajectories itself, and needs scores that are not multiplied by them.
  virtual bool needs_values() const { return false; }
  /// Computes the weight of every trajectory of the window for the target theta; `comparison` holds their
  /// log-ratios and divergences of order() at theta.
  virtual void weigh(const Window& window, Parameters theta, const LikelihoodComparison& comparison,
                     const OrderedSum& sum, Weights& weights) = 0;
  /// Clears what the rule has cached about a window; called after the window's changes were undone or a saved window
  /// was restored.
  virtual void forget() {}
  /// Bytes the rule itself stores per trajectory if the window has this capacity and holds this many batches.
  virtual double bytes_per_trajectory(Index /*window*/, double /*batches*/) const { return 0.0; }
};

// rho = p_theta / p_behavior; N_i trajectories in batch i, M in the window; see docs/notation.md.

/// Single importance weighting (SIW): c = rho / N on a window of exactly one batch, drawn from any behavior.
std::unique_ptr<WeightRule> single_importance_weights();

/// Multiple importance weighting (MIW) with constant coefficients: c = rho / M.
std::unique_ptr<WeightRule> multiple_importance_weights();

/// Balance heuristic (BH): c = p_theta / sum_l N_l p_l over the behaviors in the window. Caches the log-likelihoods of
/// stored trajectories under stored behaviors, so that a new batch costs only N (2 omega - 1) new ones; under full
/// reuse, where no behavior ever leaves the window, it caches only the mixture sum_l N_l p_l of each trajectory.
std::unique_ptr<WeightRule> balance_heuristic();

/// Multiple power mean (MPM): c = (alpha_i / N_i) / ((1 - lambda_i) / rho + lambda_i), bounded by
/// alpha_i / (lambda_i N_i).
std::unique_ptr<WeightRule> multiple_power_mean(const CoefficientOptions& coefficients,
                                                const DivergenceOptions& divergence = {});

}  // namespace retropg
