#pragma once

#include <functional>
#include <span>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

struct ConjugateGradientOptions {
  double damping = 0.0;
  double tolerance = 1e-10;  // of the residual's norm, relative to the right-hand side's
  Index iterations = 10;     // maximum number of matrix products
};

/// Writes F times the first argument into the second.
using MatrixProduct = std::function<void(std::span<const double>, std::span<double>)>;

/// Solves (F + damping I) x = right by conjugate gradients from 0, for a symmetric positive semidefinite F given by its
/// products only. Stops at the tolerance, at the limit of iterations, or at a direction without positive curvature, and
/// returns the current x; `residual`, if not null, is then ||(F + damping I) x - right|| / ||right|| as the recursion
/// has it. A non-finite right-hand side is returned unchanged. Sums run in index order.
std::vector<double> conjugate_gradient(const MatrixProduct& product, std::span<const double> right,
                                       const ConjugateGradientOptions& options, double* residual = nullptr);

}  // namespace retropg
