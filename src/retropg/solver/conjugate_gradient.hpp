#pragma once

#include <functional>
#include <span>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

struct ConjugateGradientOptions {
  double damping = 0.0;
  double tolerance = 1e-10;  // of the residual's norm, in norms of the right side
  Index iterations = 10;     // products at most
};

/// Writes F vector into the second argument.
using MatrixProduct = std::function<void(std::span<const double>, std::span<double>)>;

/// x with (F + damping I) x = right, from 0, by conjugate gradients on a symmetric positive semidefinite F that is
/// known by its products only. Ends at the tolerance, at the limit of iterations, or where a direction has no positive
/// curvature; then x is what was reached. A right side that is not finite is handed back. Sums run in index order.
std::vector<double> conjugate_gradient(const MatrixProduct& product, std::span<const double> right,
                                       const ConjugateGradientOptions& options);

}  // namespace retropg
