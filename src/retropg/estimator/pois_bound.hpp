#pragma once

#include <vector>

#include "retropg/estimator/estimator.hpp"
#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/evidence.hpp"

namespace retropg {

enum class PenaltyScale {
  kMaximum,    // max_j |V_j|
  kDeviation,  // standard deviation of V, with N in the denominator
};

enum class PenaltyCount {
  kDivergence,  // n_eff = N / d2,  d2 = (1/N) sum_j e^{q_j}
  kEffective,   // n_eff = (sum w)^2 / sum w^2
};

struct PoisBoundOptions {
  double delta = 0.99;  // in (0, 1]; 1: no penalty
  PenaltyScale scale = PenaltyScale::kMaximum;
  PenaltyCount count = PenaltyCount::kDivergence;
  bool self_normalized = false;
};

/// The lower bound of POIS on the performance at theta', from N trajectories drawn at theta with values V:
///   L(theta') = sum_j c_j V_j - penalty,   penalty = scale(V) sqrt((1 - delta) / delta) / sqrt(n_eff)
///   w_j = p_theta'(tau_j) / p_theta(tau_j),   c_j = w_j / N, or w_j / sum w if self-normalized
/// log w is truncated at kLogWeightCap. The evidence must hold bare scores s_j = grad log p_theta'(tau_j)
/// (Credit::kOne).
///   grad = sum_j f_j s_j - (penalty / 2) sum_j (e^{q_j} / sum e^q) grad q_j                    with n_eff = N / d2
///   grad = sum_j (f_j - penalty (w_j^2 / sum w^2 - w_j / sum w)) s_j                           otherwise
///   f_j = c_j V_j, or c_j (V_j - sum c V) if self-normalized
class PoisBound {
 public:
  PoisBound(const Evidence& evidence, std::vector<double> values, const PoisBoundOptions& options,
            const OrderedSum& sum);

  /// L(theta'), or minus infinity if it is not finite.
  double value(Parameters theta) { return value(theta, nullptr); }

  struct Point {
    double value;
    std::vector<double> gradient;
  };
  Point value_and_gradient(Parameters theta);

  /// The diagnostics of the weights at the last theta'.
  Diagnostics diagnostics() const;

 private:
  double value(Parameters theta, EvidencePass* pass);
  /// w_j^power / sum w^power.
  std::vector<double> shares(double power) const;
  std::vector<double> coefficients() const;
  double log_divergence() const;  // log d2
  double log_effective() const;   // log (sum w)^2 / sum w^2
  double penalty() const;
  bool saturated(std::size_t j) const;

  const Evidence& evidence_;
  std::vector<double> values_;
  PoisBoundOptions options_;
  double penalty_factor_;  // scale sqrt((1 - delta) / delta)
  const OrderedSum& sum_;
  // At the last theta', one per trajectory.
  std::vector<double> log_weight_, renyi_;
  std::unique_ptr<EvidencePass> pass_;
};

}  // namespace retropg
