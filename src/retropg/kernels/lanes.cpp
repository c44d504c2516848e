#include "retropg/kernels/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

void advance_lanes_target(std::size_t count, double gamma, double horizon, const double* live_row,
                          const double* terminated, double* rewards, const LaneClock& clock, double* next_live) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    const auto one = hn::Set(d, 1.0);
    const auto live = hn::LoadU(d, live_row + i);
    const auto is_live = hn::Gt(live, hn::Zero(d));
    const auto discount = hn::LoadU(d, clock.discount + i);
    const auto reward = hn::IfThenElseZero(is_live, hn::Mul(discount, hn::LoadU(d, rewards + i)));
    const auto age = hn::Add(hn::LoadU(d, clock.age + i), live);
    hn::StoreU(reward, d, rewards + i);
    hn::StoreU(hn::Add(hn::LoadU(d, clock.value + i), reward), d, clock.value + i);
    hn::StoreU(age, d, clock.age + i);
    hn::StoreU(hn::Mul(discount, hn::Set(d, gamma)), d, clock.discount + i);
    const auto goes_on =
        hn::And(hn::Lt(hn::LoadU(d, terminated + i), hn::Set(d, 0.5)), hn::Lt(age, hn::Set(d, horizon)));
    hn::StoreU(hn::IfThenElseZero(hn::And(is_live, goes_on), one), d, next_live + i);
  });
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(advance_lanes_target);

void advance_lanes(std::size_t count, double gamma, double horizon, const double* live, const double* terminated,
                   double* rewards, const LaneClock& clock, double* next_live) {
  HWY_DYNAMIC_DISPATCH(advance_lanes_target)(count, gamma, horizon, live, terminated, rewards, clock, next_live);
}

}  // namespace retropg::kernels
#endif
