#include "retropg/kernels/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "retropg/kernels/simd.hpp"
#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

void end_lanes_target(std::size_t count, double last_age, const double* age, const double* live,
                      const double* terminated, double* next_live) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    const auto goes_on = hn::And(hn::Lt(hn::LoadU(d, terminated + i), hn::Set(d, 0.5)),
                                 hn::Lt(hn::LoadU(d, age + i), hn::Set(d, last_age)));
    hn::StoreU(hn::IfThenElseZero(goes_on, hn::LoadU(d, live + i)), d, next_live + i);
  });
}

void advance_clocks_target(std::size_t count, std::size_t lanes, std::size_t steps, double gamma, const double* live,
                           double* rewards, const LaneClock& clock) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    auto age = hn::LoadU(d, clock.age + i), discount = hn::LoadU(d, clock.discount + i);
    auto value = hn::LoadU(d, clock.value + i);
    for (std::size_t t = 0; t < steps; ++t) {
      const auto is_live = hn::LoadU(d, live + t * lanes + i);
      double* reward_row = rewards + t * lanes + i;
      const auto reward = hn::IfThenElseZero(hn::Gt(is_live, hn::Zero(d)), hn::Mul(discount, hn::LoadU(d, reward_row)));
      hn::StoreU(reward, d, reward_row);
      value = hn::Add(value, reward);
      age = hn::Add(age, is_live);
      discount = hn::Mul(discount, hn::Set(d, gamma));
    }
    hn::StoreU(age, d, clock.age + i);
    hn::StoreU(discount, d, clock.discount + i);
    hn::StoreU(value, d, clock.value + i);
  });
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(end_lanes_target);
HWY_EXPORT(advance_clocks_target);

void end_lanes(std::size_t count, double last_age, const double* age, const double* live, const double* terminated,
               double* next_live) {
  HWY_DISPATCH_TABLE(end_lanes_target)[dispatch_row](count, last_age, age, live, terminated, next_live);
}

void advance_clocks(std::size_t count, std::size_t lanes, std::size_t steps, double gamma, const double* live,
                    double* rewards, const LaneClock& clock) {
  HWY_DISPATCH_TABLE(advance_clocks_target)[dispatch_row](count, lanes, steps, gamma, live, rewards, clock);
}

}  // namespace retropg::kernels
#endif
