#include "retropg/kernels/weights.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/weights.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>

#include "retropg/kernels/simd.hpp"
#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

/// Highway's exponential wraps around above 708; e^700 is practically infinite.
constexpr double kLargestExponent = 700.0;

/// `value`, but NaN where `x` is NaN: minimum, maximum and exponential would turn it into an ordinary weight.
template <class V>
HWY_INLINE V keep_nan(V x, V value) {
  return hn::IfThenElse(hn::IsNaN(x), x, value);
}

void exp_affine_target(std::size_t count, const double* x, double scale, double cap, double shift, double factor,
                       double* out) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    const auto scaled = hn::Mul(hn::Set(d, scale), hn::LoadU(d, x + i));
    const auto value = hn::Exp(d, hn::Add(hn::Min(scaled, hn::Set(d, cap)), hn::Set(d, shift)));
    hn::StoreU(keep_nan(scaled, hn::Mul(hn::Set(d, factor), value)), d, out + i);
  });
}

void power_mean_target(std::size_t count, const double* log_ratio, double log_scale, double at_one, double log_lambda,
                       double log_one_minus_lambda, double* out) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    // log of the denominator = high + log1p(e^{-|a - b|}); its second part stays outside the exponential.
    const auto ratio = hn::LoadU(d, log_ratio + i);
    const auto a = hn::Sub(hn::Set(d, log_one_minus_lambda), ratio);
    const auto b = hn::Set(d, log_lambda);
    const auto high = hn::Max(a, b);
    const auto tail = hn::Exp(d, hn::Neg(hn::Abs(hn::Sub(a, b))));
    const auto top = hn::Exp(d, hn::Min(hn::Sub(hn::Set(d, log_scale), high), hn::Set(d, kLargestExponent)));
    const auto value = hn::Div(top, hn::Add(hn::Set(d, 1.0), tail));
    const auto exact = hn::IfThenElse(hn::Eq(ratio, hn::Zero(d)), hn::Set(d, at_one), value);
    hn::StoreU(keep_nan(ratio, exact), d, out + i);
  });
}

void balance_target(std::size_t count, std::size_t policies, const double* const* rows, const double* sizes,
                    const double* target_row, double* out) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    const auto target = hn::LoadU(d, target_row + i);
    auto high = hn::Sub(hn::LoadU(d, rows[0] + i), target);
    for (std::size_t l = 1; l < policies; ++l) high = hn::Max(high, hn::Sub(hn::LoadU(d, rows[l] + i), target));
    auto sum = hn::Zero(d);
    for (std::size_t l = 0; l < policies; ++l) {
      const auto difference = hn::Sub(hn::LoadU(d, rows[l] + i), target);
      const auto share = keep_nan(difference, hn::Exp(d, hn::Sub(difference, high)));
      sum = hn::Add(sum, hn::Mul(hn::Set(d, sizes[l]), share));
    }
    const auto top = hn::Exp(d, hn::Min(hn::Neg(high), hn::Set(d, kLargestExponent)));
    hn::StoreU(keep_nan(target, hn::Div(top, sum)), d, out + i);
  });
}

void add_to_mixture_target(std::size_t count, const double* row, double size, double* high, double* sum) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    const auto before = hn::LoadU(d, high + i), added = hn::LoadU(d, row + i);
    const auto now = hn::Max(before, added);
    // A factor of exactly 1 for the larger one, also where both are -inf.
    const auto factor = [&](auto x) HWY_ATTR {
      return hn::IfThenElse(hn::Eq(x, now), hn::Set(d, 1.0), hn::Exp(d, hn::Sub(x, now)));
    };
    const auto kept = hn::Mul(hn::LoadU(d, sum + i), factor(before));
    const auto total = hn::MulAdd(hn::Set(d, size), factor(added), kept);
    hn::StoreU(now, d, high + i);
    hn::StoreU(keep_nan(added, total), d, sum + i);
  });
}

void balance_mixture_target(std::size_t count, const double* high, const double* sum, const double* target_row,
                            double* out) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    const auto target = hn::LoadU(d, target_row + i);
    const auto log_ratio = hn::Min(hn::Sub(target, hn::LoadU(d, high + i)), hn::Set(d, kLargestExponent));
    hn::StoreU(keep_nan(target, hn::Div(hn::Exp(d, log_ratio), hn::LoadU(d, sum + i))), d, out + i);
  });
}

double largest_target(std::size_t count, const double* x) {
  const hn::ScalableTag<double> d;
  constexpr std::size_t kVectors = 4;  // a comparison takes as long as four can be started
  using V = hn::Vec<decltype(d)>;
  const auto larger = [](V a, V b) HWY_ATTR { return hn::IfThenElse(hn::Gt(a, b), a, b); };
  V high[kVectors];
  for (V& vector : high) vector = hn::Set(d, x[0]);
  std::size_t i = 0;
  for (; i + kVectors * hn::Lanes(d) <= count; i += kVectors * hn::Lanes(d)) {
    for (std::size_t k = 0; k < kVectors; ++k) high[k] = larger(hn::LoadU(d, x + i + k * hn::Lanes(d)), high[k]);
  }
  HWY_ALIGN double lanes[kVectors * HWY_MAX_BYTES / sizeof(double)];
  for (std::size_t k = 0; k < kVectors; ++k) hn::Store(high[k], d, lanes + k * hn::Lanes(d));
  double result = x[0];
  for (std::size_t k = 0; k < kVectors * hn::Lanes(d); ++k) result = lanes[k] > result ? lanes[k] : result;
  for (; i < count; ++i) result = x[i] > result ? x[i] : result;
  return result;
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(exp_affine_target);
HWY_EXPORT(power_mean_target);
HWY_EXPORT(balance_target);
HWY_EXPORT(add_to_mixture_target);
HWY_EXPORT(balance_mixture_target);
HWY_EXPORT(largest_target);

void exp_affine(std::size_t count, const double* x, double scale, double cap, double shift, double factor,
                double* out) {
  HWY_DISPATCH_TABLE(exp_affine_target)[dispatch_row](count, x, scale, cap, shift, factor, out);
}

void power_mean(std::size_t count, const double* log_ratio, double log_scale, double at_one, double log_lambda,
                double log_one_minus_lambda, double* out) {
  HWY_DISPATCH_TABLE(power_mean_target)
  [dispatch_row](count, log_ratio, log_scale, at_one, log_lambda, log_one_minus_lambda, out);
}

void balance(std::size_t count, std::size_t policies, const double* const* rows, const double* sizes,
             const double* target_row, double* out) {
  HWY_DISPATCH_TABLE(balance_target)[dispatch_row](count, policies, rows, sizes, target_row, out);
}

void add_to_mixture(std::size_t count, const double* row, double size, double* high, double* sum) {
  HWY_DISPATCH_TABLE(add_to_mixture_target)[dispatch_row](count, row, size, high, sum);
}

void balance_mixture(std::size_t count, const double* high, const double* sum, const double* target_row, double* out) {
  HWY_DISPATCH_TABLE(balance_mixture_target)[dispatch_row](count, high, sum, target_row, out);
}

double largest(std::size_t count, const double* x) {
  return HWY_DISPATCH_TABLE(largest_target)[dispatch_row](count, x);
}

}  // namespace retropg::kernels
#endif
