#include "retropg/solver/conjugate_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "retropg/core/numerics.hpp"

namespace retropg {

std::vector<double> conjugate_gradient(const MatrixProduct& product, std::span<const double> right,
                                       const ConjugateGradientOptions& options, double* relative_residual) {
  const auto inner = [](std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const std::size_t size = right.size();
  std::vector<double> x(size, 0.0), residual(right.begin(), right.end()), image(size);
  // The system is linear, so scale the right-hand side to 1: no square overflows or underflows.
  double scale = 0.0;
  for (const double number : right) scale = std::max(scale, std::abs(number));
  if (relative_residual != nullptr) *relative_residual = all_finite(right) ? 0.0 : std::nan("");
  if (!all_finite(right) || scale == 0.0) return residual;
  for (double& number : residual) number /= scale;
  std::vector<double> direction = residual;
  const double whole = norm(residual), enough = options.tolerance * whole;
  double squares = inner(residual, residual);
  for (Index k = 0; k < options.iterations && std::sqrt(squares) > enough; ++k) {
    product(direction, image);
    for (std::size_t i = 0; i < size; ++i) image[i] += options.damping * direction[i];
    const double curvature = inner(direction, image);
    if (!(curvature > 0.0)) break;  // also stops on NaN
    const double step = squares / curvature;
    for (std::size_t i = 0; i < size; ++i) {
      x[i] += step * direction[i];
      residual[i] -= step * image[i];
    }
    const double before = squares;
    squares = inner(residual, residual);
    for (std::size_t i = 0; i < size; ++i) direction[i] = residual[i] + squares / before * direction[i];
  }
  if (relative_residual != nullptr) {  // of x itself: the recursion's own drifts away from it
    product(x, image);
    for (std::size_t i = 0; i < size; ++i) image[i] += options.damping * x[i] - right[i] / scale;
    *relative_residual = norm(image) / whole;
  }
  for (double& number : x) number *= scale;
  return x;
}

}  // namespace retropg
