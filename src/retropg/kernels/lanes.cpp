#include "retropg/kernels/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "retropg/kernels/simd.hpp"
#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

void end_lanes_target(std::size_t count, double last_age, const double* age, const double* live, const double* ended,
                      double* next_live) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    const auto goes_on =
        hn::And(hn::Lt(hn::LoadU(d, ended + i), hn::Set(d, 0.5)), hn::Lt(hn::LoadU(d, age + i), hn::Set(d, last_age)));
    hn::StoreU(hn::IfThenElseZero(goes_on, hn::LoadU(d, live + i)), d, next_live + i);
  });
}

void advance_clocks_target(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t actions, double gamma,
                           const double* live, const double* action_rows, double* rewards, const LaneClock& clock) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    auto age = hn::LoadU(d, clock.age + i), discount = hn::LoadU(d, clock.discount + i);
    auto value = hn::LoadU(d, clock.value + i), squares = hn::LoadU(d, clock.squares + i);
    for (std::size_t t = 0; t < steps; ++t) {
      const auto live_row = hn::LoadU(d, live + t * lanes + i);
      const auto is_live = hn::Gt(live_row, hn::Zero(d));
      double* reward_row = rewards + t * lanes + i;
      const auto raw = hn::IfThenElseZero(is_live, hn::LoadU(d, reward_row));
      const auto reward = hn::Mul(discount, raw);
      squares = hn::MulAdd(raw, raw, squares);
      for (std::size_t u = 0; u < actions; ++u) {
        const auto action = hn::IfThenElseZero(is_live, hn::LoadU(d, action_rows + (t * actions + u) * lanes + i));
        squares = hn::MulAdd(action, action, squares);
      }
      hn::StoreU(reward, d, reward_row);
      value = hn::Add(value, reward);
      age = hn::Add(age, live_row);
      discount = hn::Mul(discount, hn::Set(d, gamma));
    }
    hn::StoreU(age, d, clock.age + i);
    hn::StoreU(discount, d, clock.discount + i);
    hn::StoreU(value, d, clock.value + i);
    hn::StoreU(squares, d, clock.squares + i);
  });
}

void add_squares_target(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t width, std::size_t stride,
                        const double* live, const double* rows, double* squares) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    auto sum = hn::LoadU(d, squares + i);
    for (std::size_t t = 0; t < steps; ++t) {
      const auto is_live = hn::Gt(hn::LoadU(d, live + t * lanes + i), hn::Zero(d));
      const double* row = rows + t * stride + i;
      for (std::size_t r = 0; r < width; ++r, row += lanes) {
        const auto x = hn::IfThenElseZero(is_live, hn::LoadU(d, row));
        sum = hn::MulAdd(x, x, sum);
      }
    }
    hn::StoreU(sum, d, squares + i);
  });
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(end_lanes_target);
HWY_EXPORT(advance_clocks_target);
HWY_EXPORT(add_squares_target);

void end_lanes(std::size_t count, double last_age, const double* age, const double* live, const double* ended,
               double* next_live) {
  HWY_DISPATCH_TABLE(end_lanes_target)[dispatch_row](count, last_age, age, live, ended, next_live);
}

void advance_clocks(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t actions, double gamma,
                    const double* live, const double* action_rows, double* rewards, const LaneClock& clock) {
  HWY_DISPATCH_TABLE(advance_clocks_target)
  [dispatch_row](count, lanes, steps, actions, gamma, live, action_rows, rewards, clock);
}

void add_squares(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t width, std::size_t stride,
                 const double* live, const double* rows, double* squares) {
  HWY_DISPATCH_TABLE(add_squares_target)[dispatch_row](count, lanes, steps, width, stride, live, rows, squares);
}

}  // namespace retropg::kernels
#endif
