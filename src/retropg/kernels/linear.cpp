#include "retropg/kernels/linear.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/linear.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "retropg/kernels/simd.hpp"
#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

void linear_gaussian_act_target(std::size_t count, std::size_t lanes, std::size_t features, std::size_t actions,
                                const double* theta, const double* deviation, const double* feature_rows,
                                const double* const* noise_rows, double* action_rows, double* residual_rows) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    for (std::size_t u = 0; u < actions; ++u) {
      auto mean = hn::Zero(d);
      for (std::size_t v = 0; v < features; ++v) {
        mean = hn::MulAdd(hn::Set(d, theta[u * features + v]), hn::LoadU(d, feature_rows + v * lanes + i), mean);
      }
      const auto action = hn::MulAdd(hn::Set(d, deviation[u]), hn::LoadU(d, noise_rows[u] + i), mean);
      hn::StoreU(action, d, action_rows + u * lanes + i);
      hn::StoreU(hn::Sub(action, mean), d, residual_rows + u * lanes + i);
    }
  });
}

void linear_lane_means_target(std::size_t count, std::size_t lanes, std::size_t features, std::size_t actions,
                              const double* theta_rows, const double* feature_rows, double* action_rows) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    for (std::size_t u = 0; u < actions; ++u) {
      auto mean = hn::Zero(d);
      for (std::size_t v = 0; v < features; ++v) {
        const double* theta = theta_rows + (u * features + v) * lanes + i;
        mean = hn::MulAdd(hn::LoadU(d, theta), hn::LoadU(d, feature_rows + v * lanes + i), mean);
      }
      hn::StoreU(mean, d, action_rows + u * lanes + i);
    }
  });
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(linear_gaussian_act_target);
HWY_EXPORT(linear_lane_means_target);

void linear_gaussian_act(std::size_t count, std::size_t lanes, std::size_t features, std::size_t actions,
                         const double* theta, const double* deviation, const double* feature_rows,
                         const double* const* noise_rows, double* action_rows, double* residual_rows) {
  HWY_DISPATCH_TABLE(linear_gaussian_act_target)
  [dispatch_row](count, lanes, features, actions, theta, deviation, feature_rows, noise_rows, action_rows,
                 residual_rows);
}

void linear_lane_means(std::size_t count, std::size_t lanes, std::size_t features, std::size_t actions,
                       const double* theta_rows, const double* feature_rows, double* action_rows) {
  HWY_DISPATCH_TABLE(linear_lane_means_target)
  [dispatch_row](count, lanes, features, actions, theta_rows, feature_rows, action_rows);
}

}  // namespace retropg::kernels
#endif
