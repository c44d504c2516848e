#include "retropg/kernels/cart_pole.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/cart_pole.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "retropg/kernels/simd.hpp"
#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

void cart_pole_step_target(std::size_t count, std::size_t lanes, const double* forces, const double* live,
                           double* state, double* observations, double* rewards, double* terminated) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    const auto constant = [&](double value) HWY_ATTR { return hn::Set(d, value); };
    const V x = hn::LoadU(d, state + i), v = hn::LoadU(d, state + lanes + i);
    const V phi = hn::LoadU(d, state + 2 * lanes + i), w = hn::LoadU(d, state + 3 * lanes + i);
    const V is_live = hn::LoadU(d, live + i);
    const V force = hn::Min(hn::Max(hn::LoadU(d, forces + i), constant(-10.0)), constant(10.0));

    // Taylor series: |phi| < 0.2095 in live lanes, so the remainders are below 2e-18 |phi| and 2e-17.
    const V p2 = hn::Mul(phi, phi);
    V s = hn::MulAdd(p2, constant(-1.0 / 39916800.0), constant(1.0 / 362880.0));
    s = hn::MulAdd(p2, s, constant(-1.0 / 5040.0));
    s = hn::MulAdd(p2, s, constant(1.0 / 120.0));
    s = hn::MulAdd(p2, s, constant(-1.0 / 6.0));
    const V sine = hn::MulAdd(hn::Mul(p2, phi), s, phi);
    V c = hn::MulAdd(p2, constant(-1.0 / 3628800.0), constant(1.0 / 40320.0));
    c = hn::MulAdd(p2, c, constant(-1.0 / 720.0));
    c = hn::MulAdd(p2, c, constant(1.0 / 24.0));
    c = hn::MulAdd(p2, c, constant(-0.5));
    const V cosine = hn::MulAdd(p2, c, constant(1.0));

    //   tmp  = (f + 0.05 w^2 sin phi) / 1.1
    //   wdot = (9.8 sin phi - cos phi tmp) / (0.5 (4/3 - 0.1 cos^2 phi / 1.1)),  vdot = tmp - 0.05 wdot cos phi / 1.1
    const V push = hn::MulAdd(hn::Mul(hn::Mul(w, w), constant(0.05)), sine, force);
    const V tmp = hn::Mul(push, constant(1.0 / 1.1));
    const V inertia = hn::NegMulAdd(hn::Mul(cosine, cosine), constant(0.05 / 1.1), constant(2.0 / 3.0));
    const V wdot = hn::Div(hn::NegMulAdd(cosine, tmp, hn::Mul(constant(9.8), sine)), inertia);
    const V vdot = hn::NegMulAdd(hn::Mul(constant(0.05 / 1.1), cosine), wdot, tmp);

    const auto mask = hn::Gt(is_live, hn::Zero(d));
    const V dt = constant(0.02);
    const V new_x = hn::IfThenElseZero(mask, hn::MulAdd(dt, v, x));
    const V new_v = hn::IfThenElseZero(mask, hn::MulAdd(dt, vdot, v));
    const V new_phi = hn::IfThenElseZero(mask, hn::MulAdd(dt, w, phi));
    const V new_w = hn::IfThenElseZero(mask, hn::MulAdd(dt, wdot, w));
    const V rows[4] = {new_x, new_v, new_phi, new_w};
    for (std::size_t row = 0; row < 4; ++row) {
      hn::StoreU(rows[row], d, state + row * lanes + i);
      hn::StoreU(rows[row], d, observations + row * lanes + i);
    }
    const auto fell =
        hn::Or(hn::Gt(hn::Abs(new_x), constant(2.4)), hn::Gt(hn::Abs(new_phi), constant(0.20943951023931953)));
    hn::StoreU(is_live, d, rewards + i);
    hn::StoreU(hn::IfThenElseZero(fell, constant(1.0)), d, terminated + i);
  });
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(cart_pole_step_target);

void cart_pole_step(std::size_t count, std::size_t lanes, const double* forces, const double* live, double* state,
                    double* observations, double* rewards, double* terminated) {
  HWY_DISPATCH_TABLE(cart_pole_step_target)
  [dispatch_row](count, lanes, forces, live, state, observations, rewards, terminated);
}

}  // namespace retropg::kernels
#endif
