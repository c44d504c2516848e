#pragma once

#include <cstddef>

namespace retropg::kernels {

/// Applied to each element of a product before it is stored.
enum class Epilogue {
  kNone,
  kTanh,
  kRelu,
  kTanhDerivative,  // times 1 - h^2
  kReluDerivative,  // times 1 where h > 0, else 0
};

/// The units of a layer are padded to a multiple of this: one AVX-512 vector or two AVX2 vectors.
inline constexpr std::size_t kUnitPadding = 8;

constexpr std::size_t padded_units(std::size_t units) {
  return (units + kUnitPadding - 1) / kUnitPadding * kUnitPadding;
}

/// A strided matrix: component k of step t is data[t * step + k * input].
struct StridedInput {
  const double* data;
  std::size_t step;
  std::size_t input;
};

/// y[t][w] = epilogue(sum_k x[t][k] matrix[k][w]) for t < steps, k < inputs, w < width (padded). The sum runs over k in
/// order with fused multiply-adds, for every vector size and number of steps. h is laid out like y and read by the
/// derivatives only.
void dense(std::size_t steps, std::size_t inputs, std::size_t width, const double* matrix, const StridedInput& x,
           Epilogue epilogue, const double* h, double* y);

/// sums[o][i] += sum_t delta[t * delta_stride + o] x[t * x_stride + i] for o < outputs, i < width (padded), t in order.
void dense_gradient(std::size_t steps, std::size_t outputs, std::size_t width, const double* delta,
                    std::size_t delta_stride, const double* x, std::size_t x_stride, double* sums);

/// Gaussian comparison of one trajectory: over its steps, with rows of `width` (padded) means, actions and behavior
/// means,
///   ratio[w]    = sum_t (mean - behavior)(action - (mean + behavior) / 2) precision[w]
///   distance[w] = sum_t (mean - behavior)^2 precision[w],   added to the existing values.
void compare_means(std::size_t steps, std::size_t width, const double* mean, std::size_t mean_stride,
                   const double* action, const double* behavior, std::size_t stride, const double* precision,
                   double* ratio, double* distance);

/// delta[t][w] = factor[t] (action - mean) precision[w].
void mean_cotangent(std::size_t steps, std::size_t width, const double* mean, const double* action, std::size_t stride,
                    const double* factor, const double* precision, double* delta);

}  // namespace retropg::kernels
