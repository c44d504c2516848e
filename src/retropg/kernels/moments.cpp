#include "retropg/kernels/moments.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/moments.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "retropg/kernels/simd.hpp"
#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

void mask_columns_target(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t width, const double* live,
                         double* columns) {
  for (std::size_t t = 0; t < steps; ++t) {
    for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
      const auto mask = hn::Gt(hn::LoadU(d, live + t * lanes + i), hn::Zero(d));
      double* column = columns + t * width * lanes + i;
      for (std::size_t row = 0; row < width; ++row, column += lanes) {
        hn::StoreU(hn::IfThenElseZero(mask, hn::LoadU(d, column)), d, column);
      }
    });
  }
}

/// Keeps `kColumns` neighboring pairs of one feature in registers over all steps.
template <std::size_t kColumns, class D>
HWY_INLINE void gather_columns(D d, std::size_t lanes, std::size_t steps, std::size_t stride, const double* feature,
                               const double* column, const double* rewards, double* plain, double* credited) {
  hn::Vec<D> sum[kColumns], credit[kColumns];
  for (std::size_t c = 0; c < kColumns; ++c) {
    sum[c] = hn::LoadU(d, plain + c * lanes);
    credit[c] = hn::LoadU(d, credited + c * lanes);
  }
  for (std::size_t t = 0; t < steps; ++t) {
    const auto x = hn::LoadU(d, feature + t * stride);
    const auto reward = hn::LoadU(d, rewards + t * lanes);
    for (std::size_t c = 0; c < kColumns; ++c) {
      sum[c] = hn::MulAdd(x, hn::LoadU(d, column + t * stride + c * lanes), sum[c]);
      credit[c] = hn::MulAdd(reward, sum[c], credit[c]);
    }
  }
  for (std::size_t c = 0; c < kColumns; ++c) {
    hn::StoreU(sum[c], d, plain + c * lanes);
    hn::StoreU(credit[c], d, credited + c * lanes);
  }
}

void gather_moments_target(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t features,
                           std::size_t actions, const double* columns, const double* rewards, double* plain,
                           double* credited) {
  const std::size_t width = features + actions, stride = width * lanes;
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    std::size_t pair = 0;
    for (std::size_t f = 0; f < features; ++f) {
      const double* feature = columns + f * lanes + i;
      for (std::size_t c = f; c < width;) {
        const double* column = columns + c * lanes + i;
        double *p = plain + pair * lanes + i, *w = credited + pair * lanes + i;
        const std::size_t left = width - c, taken = left >= 5 ? 5 : left;
        switch (taken) {
          case 5: gather_columns<5>(d, lanes, steps, stride, feature, column, rewards + i, p, w); break;
          case 4: gather_columns<4>(d, lanes, steps, stride, feature, column, rewards + i, p, w); break;
          case 3: gather_columns<3>(d, lanes, steps, stride, feature, column, rewards + i, p, w); break;
          case 2: gather_columns<2>(d, lanes, steps, stride, feature, column, rewards + i, p, w); break;
          default: gather_columns<1>(d, lanes, steps, stride, feature, column, rewards + i, p, w); break;
        }
        c += taken;
        pair += taken;
      }
    }
  });
}

using Chunk = hn::CappedTag<double, 4>;

void compare_moments_target(std::size_t chunks, std::size_t pairs, const double* linear_factor,
                            const double* quadratic_factor, const double* moments, double* linear, double* quadratic) {
  const Chunk d;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::size_t lane = 0; lane < 4; lane += hn::Lanes(d)) {
      const double* m = moments + chunk * pairs * 4 + lane;
      auto first = hn::Zero(d), second = hn::Zero(d);
      for (std::size_t p = 0; p < pairs; ++p) {
        const auto value = hn::LoadU(d, m + p * 4);
        first = hn::MulAdd(hn::Set(d, linear_factor[p]), value, first);
        second = hn::MulAdd(hn::Set(d, quadratic_factor[p]), value, second);
      }
      hn::StoreU(first, d, linear + chunk * 4 + lane);
      hn::StoreU(second, d, quadratic + chunk * 4 + lane);
    }
  }
}

void weighted_moment_gradient_target(std::size_t chunks, std::size_t features, std::size_t actions,
                                     const double* precision, const double* delta, const double* credited,
                                     const double* weights, double* rows) {
  const Chunk d;
  const std::size_t width = features + actions, pairs = moment_pairs(features, actions);
  // Pair (i, c) with c >= i has index first_pair(i) + c - i.
  const auto first_pair = [&](std::size_t i) HWY_ATTR { return i * width - i * (i - 1) / 2; };
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const double* m = credited + chunk * pairs * 4;
    double* row = rows + chunk * features * actions;
    for (std::size_t u = 0; u < actions; ++u) {
      for (std::size_t i = 0; i < features; ++i) {
        double terms[4];
        for (std::size_t lane = 0; lane < 4; lane += hn::Lanes(d)) {
          auto g = hn::LoadU(d, m + (first_pair(i) + features + u - i) * 4 + lane);
          for (std::size_t k = 0; k < features; ++k) {
            const std::size_t pair = k < i ? first_pair(k) + i - k : first_pair(i) + k - i;
            g = hn::NegMulAdd(hn::LoadU(d, m + pair * 4 + lane), hn::Set(d, delta[u * features + k]), g);
          }
          hn::StoreU(hn::Mul(hn::LoadU(d, weights + chunk * 4 + lane), g), d, terms + lane);
        }
        row[u * features + i] = precision[u] * ((terms[0] + terms[1]) + (terms[2] + terms[3]));
      }
    }
  }
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(mask_columns_target);
HWY_EXPORT(gather_moments_target);
HWY_EXPORT(compare_moments_target);
HWY_EXPORT(weighted_moment_gradient_target);

void mask_columns(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t width, const double* live,
                  double* columns) {
  HWY_DISPATCH_TABLE(mask_columns_target)[dispatch_row](count, lanes, steps, width, live, columns);
}

void gather_moments(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t features, std::size_t actions,
                    const double* columns, const double* rewards, double* plain, double* credited) {
  HWY_DISPATCH_TABLE(gather_moments_target)
  [dispatch_row](count, lanes, steps, features, actions, columns, rewards, plain, credited);
}

void compare_moments(std::size_t chunks, std::size_t pairs, const double* linear_factor, const double* quadratic_factor,
                     const double* moments, double* linear, double* quadratic) {
  HWY_DISPATCH_TABLE(compare_moments_target)
  [dispatch_row](chunks, pairs, linear_factor, quadratic_factor, moments, linear, quadratic);
}

void weighted_moment_gradient(std::size_t chunks, std::size_t features, std::size_t actions, const double* precision,
                              const double* delta, const double* credited, const double* weights, double* rows) {
  HWY_DISPATCH_TABLE(weighted_moment_gradient_target)
  [dispatch_row](chunks, features, actions, precision, delta, credited, weights, rows);
}

}  // namespace retropg::kernels
#endif
