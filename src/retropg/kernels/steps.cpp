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

void add_weighted_rows_target(std::size_t steps, std::size_t width, std::size_t stride, const double* factors,
                              const double* rows, double* sums) {
  const hn::CappedTag<double, 4> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < width; i += lanes) {
    const std::size_t count = std::min(lanes, width - i);
    double part[4] = {};
    std::copy_n(sums + i, count, part);
    auto sum = hn::LoadU(d, part);
    for (std::size_t t = 0; t < steps; ++t) {
      sum = hn::Add(sum, hn::Mul(hn::Set(d, factors[t]), hn::LoadU(d, rows + t * stride + i)));
    }
    hn::StoreU(sum, d, part);
    std::copy_n(part, count, sums + i);
  }
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(add_weighted_rows_target);

void add_weighted_rows(std::size_t steps, std::size_t width, std::size_t stride, const double* factors,
                       const double* rows, double* sums) {
  HWY_DISPATCH_TABLE(add_weighted_rows_target)[dispatch_row](steps, width, stride, factors, rows, sums);
}

}  // namespace retropg::kernels
#endif
