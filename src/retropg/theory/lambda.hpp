#pragma once

namespace retropg::theory {

/// lambda of Theorem 5.1 (the target does not depend on the history): sqrt(4 (d ln 6 + ln(1 / delta)) / (3 D M)), where
/// M = N omega_k is the number of trajectories used and D bounds the exponentiated 2-Renyi divergence. May exceed 1.
double history_independent_lambda(double parameters, double confidence, double divergence_bound, double trajectories);

/// Constants of Theorem 5.2 and of the run.
struct HistoryDependentBounds {
  double gradient_bound;  // G, of the gradient of a single trajectory
  double hessian_bound;   // G_2, of that gradient's derivative
  double score_bound;     // L_1
  double horizon;         // T
  double step_size;       // largest step zeta
};

/// L_{1,MPM} = (G T L_1 + G_2)(1 + sqrt(3 D M / 4)): Lipschitz constant of the MPM estimate as a function of its
/// target.
double mpm_lipschitz(const HistoryDependentBounds& bounds, double divergence_bound, double trajectories);

/// lambda of Theorems 5.2 and 6.1 (the target depends on the history), with delta_k = 1 / M^2:
///   sqrt(4 [d ln(6 + 3 sqrt(3) L_{1,MPM} zeta omega_k M / (4 sqrt(d))) + ln(1 / delta_k)] / (3 D M)).  May exceed 1.
double history_dependent_lambda(const HistoryDependentBounds& bounds, double parameters, double divergence_bound,
                                double trajectories, double window);

}  // namespace retropg::theory
