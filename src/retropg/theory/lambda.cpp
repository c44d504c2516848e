#include "retropg/theory/lambda.hpp"

#include <cmath>

namespace retropg::theory {

double history_independent_lambda(double parameters, double confidence, double divergence_bound, double trajectories) {
  const double log_term = parameters * std::log(6.0) - std::log(confidence);
  return std::sqrt(4.0 * log_term / (3.0 * divergence_bound * trajectories));
}

double mpm_lipschitz(const HistoryDependentBounds& bounds, double divergence_bound, double trajectories) {
  const double smoothness = bounds.gradient_bound * bounds.horizon * bounds.score_bound + bounds.hessian_bound;
  return smoothness * (1.0 + std::sqrt(0.75 * divergence_bound * trajectories));
}

double history_dependent_lambda(const HistoryDependentBounds& bounds, double parameters, double divergence_bound,
                                double trajectories, double window) {
  const double cover = 3.0 * std::sqrt(3.0) * mpm_lipschitz(bounds, divergence_bound, trajectories) * bounds.step_size *
                       window * trajectories / (4.0 * std::sqrt(parameters));
  const double log_term = parameters * std::log(6.0 + cover) + 2.0 * std::log(trajectories);
  return std::sqrt(4.0 * log_term / (3.0 * divergence_bound * trajectories));
}

}  // namespace retropg::theory
