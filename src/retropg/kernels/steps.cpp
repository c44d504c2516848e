#include "retropg/kernels/steps.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/steps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "retropg/kernels/simd.hpp"
#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

void weighted_row_sum_target(std::size_t steps, std::size_t width, std::size_t stride, const double* factors,
                             const double* rows, double* sums) {
  const hn::CappedTag<double, 4> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < width; i += lanes) {
    auto sum = hn::Zero(d);
    for (std::size_t t = 0; t < steps; ++t) {
      sum = hn::Add(sum, hn::Mul(hn::Set(d, factors[t]), hn::LoadU(d, rows + t * stride + i)));
    }
    double part[4];
    hn::StoreU(sum, d, part);
    std::copy_n(part, std::min(lanes, width - i), sums + i);
  }
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(weighted_row_sum_target);

void weighted_row_sum(std::size_t steps, std::size_t width, std::size_t stride, const double* factors,
                      const double* rows, double* sums) {
  HWY_DISPATCH_TABLE(weighted_row_sum_target)[dispatch_row](steps, width, stride, factors, rows, sums);
}

}  // namespace retropg::kernels
#endif
