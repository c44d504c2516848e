#include "retropg/kernels/dense.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/dense.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "retropg/kernels/simd.hpp"
#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

using Units = hn::CappedTag<double, kUnitPadding>;
constexpr std::size_t kLanes = hn::MaxLanes(Units());

// A tile of steps x vectors stays in registers: 16 of 32 accumulators with AVX-512, otherwise 8 of 16.
constexpr std::size_t kTileSteps = 4;
constexpr std::size_t kTileVectors = kLanes >= 8 ? 4 : 2;

/// tanh|x| = -m / (2 + m) with m = e^{-2|x|} - 1 = 2^n (e^r - 1) + (2^n - 1), |r| <= ln(2) / 2. The series of e^r - 1
/// stops after r^13 / 13!, with a remainder below 4e-18. The result is within 3 units in the last place and takes two
/// thirds of the time of Highway's tanh.
template <class V>
HWY_INLINE V tanh_vector(V x) {
  const Units d;
  const hn::RebindToSigned<Units> di;
  const auto c = [&](double value) HWY_ATTR { return hn::Set(d, value); };
  const V z = hn::Mul(hn::Min(hn::Abs(x), c(20.0)), c(-2.0));
  // 1.5 * 2^52: adding it rounds to an integer, which is then in the low bits.
  const V magic = c(6755399441055744.0);
  const V shifted = hn::MulAdd(z, c(1.4426950408889634), magic);
  const V n = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(n, c(0.69314718055989033), z);  // ln 2 split into two parts
  r = hn::NegMulAdd(n, c(5.4979230187083712e-14), r);
  const V scale = hn::BitCast(d, hn::Add(hn::ShiftLeft<52>(hn::BitCast(di, shifted)), hn::BitCast(di, c(1.0))));
  // (e^r - 1 - r) / r^2 by Estrin's scheme, so that the multiply-adds are independent.
  const V r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2);
  const V p0 = hn::MulAdd(r, c(1.0 / 6), c(1.0 / 2)), p2 = hn::MulAdd(r, c(1.0 / 120), c(1.0 / 24));
  const V p4 = hn::MulAdd(r, c(1.0 / 5040), c(1.0 / 720)), p6 = hn::MulAdd(r, c(1.0 / 362880), c(1.0 / 40320));
  const V p8 = hn::MulAdd(r, c(1.0 / 39916800), c(1.0 / 3628800));
  const V p10 = hn::MulAdd(r, c(1.0 / 6227020800.0), c(1.0 / 479001600));
  const V q0 = hn::MulAdd(r2, p2, p0), q4 = hn::MulAdd(r2, p6, p4), q8 = hn::MulAdd(r2, p10, p8);
  const V p = hn::MulAdd(r2, hn::MulAdd(r4, hn::MulAdd(r4, q8, q4), q0), r);
  const V m = hn::MulAdd(scale, p, hn::Sub(scale, c(1.0)));
  const V t = hn::CopySign(hn::Div(m, hn::Sub(c(-2.0), m)), x);
  return hn::IfThenElse(hn::IsNaN(x), x, t);  // the minimum above would turn NaN into 20
}

template <class V>
HWY_INLINE V finish(Epilogue epilogue, V value, const double* h) {
  const Units d;
  switch (epilogue) {
    case Epilogue::kTanh: return tanh_vector(value);
    case Epilogue::kRelu: return hn::IfThenZeroElse(hn::Lt(value, hn::Zero(d)), value);  // keeps NaN
    case Epilogue::kTanhDerivative: {
      const V at = hn::LoadU(d, h);
      return hn::Mul(value, hn::NegMulAdd(at, at, hn::Set(d, 1.0)));
    }
    case Epilogue::kReluDerivative: return hn::IfThenElseZero(hn::Gt(hn::LoadU(d, h), hn::Zero(d)), value);
    default: return value;
  }
}

template <std::size_t kSteps, std::size_t kVectors>
HWY_INLINE void dense_tile(std::size_t inputs, std::size_t width, const double* matrix, const StridedInput& x,
                           Epilogue epilogue, const double* h, double* y) {
  const Units d;
  hn::Vec<Units> sum[kSteps][kVectors];
  for (std::size_t s = 0; s < kSteps; ++s) {
    for (std::size_t v = 0; v < kVectors; ++v) sum[s][v] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < inputs; ++k) {
    hn::Vec<Units> row[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) row[v] = hn::LoadU(d, matrix + k * width + v * kLanes);
    for (std::size_t s = 0; s < kSteps; ++s) {
      const auto factor = hn::Set(d, x.data[s * x.step + k * x.input]);
      for (std::size_t v = 0; v < kVectors; ++v) sum[s][v] = hn::MulAdd(factor, row[v], sum[s][v]);
    }
  }
  for (std::size_t s = 0; s < kSteps; ++s) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = s * width + v * kLanes;
      hn::StoreU(finish(epilogue, sum[s][v], h + at), d, y + at);
    }
  }
}

template <std::size_t kVectors>
HWY_INLINE void dense_columns(std::size_t steps, std::size_t inputs, std::size_t width, const double* matrix,
                              const StridedInput& x, Epilogue epilogue, const double* h, double* y) {
  std::size_t t = 0;
  const auto at = [&](std::size_t step) HWY_ATTR { return StridedInput{x.data + step * x.step, x.step, x.input}; };
  for (; t + kTileSteps <= steps; t += kTileSteps) {
    dense_tile<kTileSteps, kVectors>(inputs, width, matrix, at(t), epilogue, h + t * width, y + t * width);
  }
  for (; t < steps; ++t) {
    dense_tile<1, kVectors>(inputs, width, matrix, at(t), epilogue, h + t * width, y + t * width);
  }
}

void dense_target(std::size_t steps, std::size_t inputs, std::size_t width, const double* matrix, const StridedInput& x,
                  Epilogue epilogue, const double* h, double* y) {
  std::size_t w = 0;
  for (; w + kTileVectors * kLanes <= width; w += kTileVectors * kLanes) {
    dense_columns<kTileVectors>(steps, inputs, width, matrix + w, x, epilogue, h + w, y + w);
  }
  switch ((width - w) / kLanes) {
    case 3: dense_columns<3>(steps, inputs, width, matrix + w, x, epilogue, h + w, y + w); break;
    case 2: dense_columns<2>(steps, inputs, width, matrix + w, x, epilogue, h + w, y + w); break;
    case 1: dense_columns<1>(steps, inputs, width, matrix + w, x, epilogue, h + w, y + w); break;
    default: break;
  }
}

template <std::size_t kOutputs, std::size_t kVectors>
HWY_INLINE void gradient_tile(std::size_t steps, std::size_t width, const double* delta, std::size_t delta_stride,
                              const double* x, std::size_t x_stride, double* sums) {
  const Units d;
  hn::Vec<Units> sum[kOutputs][kVectors];
  for (std::size_t o = 0; o < kOutputs; ++o) {
    for (std::size_t v = 0; v < kVectors; ++v) sum[o][v] = hn::LoadU(d, sums + o * width + v * kLanes);
  }
  for (std::size_t t = 0; t < steps; ++t) {
    hn::Vec<Units> row[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) row[v] = hn::LoadU(d, x + t * x_stride + v * kLanes);
    for (std::size_t o = 0; o < kOutputs; ++o) {
      const auto factor = hn::Set(d, delta[t * delta_stride + o]);
      for (std::size_t v = 0; v < kVectors; ++v) sum[o][v] = hn::MulAdd(factor, row[v], sum[o][v]);
    }
  }
  for (std::size_t o = 0; o < kOutputs; ++o) {
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[o][v], d, sums + o * width + v * kLanes);
  }
}

template <std::size_t kVectors>
HWY_INLINE void gradient_columns(std::size_t steps, std::size_t outputs, std::size_t width, const double* delta,
                                 std::size_t delta_stride, const double* x, std::size_t x_stride, double* sums) {
  std::size_t o = 0;
  for (; o + kTileSteps <= outputs; o += kTileSteps) {
    gradient_tile<kTileSteps, kVectors>(steps, width, delta + o, delta_stride, x, x_stride, sums + o * width);
  }
  for (; o + 2 <= outputs; o += 2) {
    gradient_tile<2, kVectors>(steps, width, delta + o, delta_stride, x, x_stride, sums + o * width);
  }
  for (; o < outputs; ++o) {
    gradient_tile<1, kVectors>(steps, width, delta + o, delta_stride, x, x_stride, sums + o * width);
  }
}

void dense_gradient_target(std::size_t steps, std::size_t outputs, std::size_t width, const double* delta,
                           std::size_t delta_stride, const double* x, std::size_t x_stride, double* sums) {
  std::size_t w = 0;
  for (; w + kTileVectors * kLanes <= width; w += kTileVectors * kLanes) {
    gradient_columns<kTileVectors>(steps, outputs, width, delta, delta_stride, x + w, x_stride, sums + w);
  }
  switch ((width - w) / kLanes) {
    case 3: gradient_columns<3>(steps, outputs, width, delta, delta_stride, x + w, x_stride, sums + w); break;
    case 2: gradient_columns<2>(steps, outputs, width, delta, delta_stride, x + w, x_stride, sums + w); break;
    case 1: gradient_columns<1>(steps, outputs, width, delta, delta_stride, x + w, x_stride, sums + w); break;
    default: break;
  }
}

void compare_means_target(std::size_t steps, std::size_t width, const double* mean, std::size_t mean_stride,
                          const double* action, const double* behavior, std::size_t stride, const double* precision,
                          double* ratio, double* distance) {
  const Units d;
  const auto half = hn::Set(d, 0.5);
  for (std::size_t w = 0; w < width; w += kLanes) {
    auto ratio_sum = hn::LoadU(d, ratio + w), distance_sum = hn::LoadU(d, distance + w);
    const auto scale = hn::LoadU(d, precision + w);
    for (std::size_t t = 0; t < steps; ++t) {
      const auto mu = hn::LoadU(d, mean + t * mean_stride + w), mu_b = hn::LoadU(d, behavior + t * stride + w);
      const auto scaled = hn::Mul(hn::Sub(mu, mu_b), scale);
      const auto centered = hn::NegMulAdd(half, hn::Add(mu, mu_b), hn::LoadU(d, action + t * stride + w));
      ratio_sum = hn::MulAdd(scaled, centered, ratio_sum);
      distance_sum = hn::MulAdd(scaled, hn::Sub(mu, mu_b), distance_sum);
    }
    hn::StoreU(ratio_sum, d, ratio + w);
    hn::StoreU(distance_sum, d, distance + w);
  }
}

void mean_cotangent_target(std::size_t steps, std::size_t width, const double* mean, const double* action,
                           std::size_t stride, const double* factor, const double* precision, double* delta) {
  const Units d;
  for (std::size_t t = 0; t < steps; ++t) {
    const auto scale = hn::Set(d, factor[t]);
    for (std::size_t w = 0; w < width; w += kLanes) {
      const auto residual = hn::Sub(hn::LoadU(d, action + t * stride + w), hn::LoadU(d, mean + t * width + w));
      hn::StoreU(hn::Mul(hn::Mul(scale, residual), hn::LoadU(d, precision + w)), d, delta + t * width + w);
    }
  }
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(dense_target);
HWY_EXPORT(dense_gradient_target);
HWY_EXPORT(compare_means_target);
HWY_EXPORT(mean_cotangent_target);

void dense(std::size_t steps, std::size_t inputs, std::size_t width, const double* matrix, const StridedInput& x,
           Epilogue epilogue, const double* h, double* y) {
  HWY_DISPATCH_TABLE(dense_target)[dispatch_row](steps, inputs, width, matrix, x, epilogue, h, y);
}

void dense_gradient(std::size_t steps, std::size_t outputs, std::size_t width, const double* delta,
                    std::size_t delta_stride, const double* x, std::size_t x_stride, double* sums) {
  HWY_DISPATCH_TABLE(dense_gradient_target)
  [dispatch_row](steps, outputs, width, delta, delta_stride, x, x_stride, sums);
}

void compare_means(std::size_t steps, std::size_t width, const double* mean, std::size_t mean_stride,
                   const double* action, const double* behavior, std::size_t stride, const double* precision,
                   double* ratio, double* distance) {
  HWY_DISPATCH_TABLE(compare_means_target)
  [dispatch_row](steps, width, mean, mean_stride, action, behavior, stride, precision, ratio, distance);
}

void mean_cotangent(std::size_t steps, std::size_t width, const double* mean, const double* action, std::size_t stride,
                    const double* factor, const double* precision, double* delta) {
  HWY_DISPATCH_TABLE(mean_cotangent_target)[dispatch_row](steps, width, mean, action, stride, factor, precision, delta);
}

}  // namespace retropg::kernels
#endif
