#include "retropg/kernels/cart_pole.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/cart_pole.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "retropg/kernels/simd.hpp"
#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

/// The state of a vector of lanes.
template <class V>
struct State {
  V x, v, phi, w;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE State<V> load(D d, const double* rows, std::size_t lanes) {
  return {hn::LoadU(d, rows), hn::LoadU(d, rows + lanes), hn::LoadU(d, rows + 2 * lanes),
          hn::LoadU(d, rows + 3 * lanes)};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void store(D d, const State<V>& state, double* rows, std::size_t lanes) {
  hn::StoreU(state.x, d, rows);
  hn::StoreU(state.v, d, rows + lanes);
  hn::StoreU(state.phi, d, rows + 2 * lanes);
  hn::StoreU(state.w, d, rows + 3 * lanes);
}

/// The state after one step where the lane is live, else 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE State<V> moved(D d, const State<V>& old, V action, V is_live) {
  const auto constant = [&](double value) HWY_ATTR { return hn::Set(d, value); };
  const V force = hn::Min(hn::Max(action, constant(-kCartPoleForce)), constant(kCartPoleForce));

  // Taylor series: |phi| < 0.2095 in live lanes, so the remainders are below 2e-18 |phi| and 2e-17.
  const V p2 = hn::Mul(old.phi, old.phi);
  V s = hn::MulAdd(p2, constant(-1.0 / 39916800.0), constant(1.0 / 362880.0));
  s = hn::MulAdd(p2, s, constant(-1.0 / 5040.0));
  s = hn::MulAdd(p2, s, constant(1.0 / 120.0));
  s = hn::MulAdd(p2, s, constant(-1.0 / 6.0));
  const V sine = hn::MulAdd(hn::Mul(p2, old.phi), s, old.phi);
  V c = hn::MulAdd(p2, constant(-1.0 / 3628800.0), constant(1.0 / 40320.0));
  c = hn::MulAdd(p2, c, constant(-1.0 / 720.0));
  c = hn::MulAdd(p2, c, constant(1.0 / 24.0));
  c = hn::MulAdd(p2, c, constant(-0.5));
  const V cosine = hn::MulAdd(p2, c, constant(1.0));

  //   tmp  = (f + 0.05 w^2 sin phi) / 1.1
  //   wdot = (9.8 sin phi - cos phi tmp) / (0.5 (4/3 - 0.1 cos^2 phi / 1.1)),  vdot = tmp - 0.05 wdot cos phi / 1.1
  const V push = hn::MulAdd(hn::Mul(hn::Mul(old.w, old.w), constant(0.05)), sine, force);
  const V tmp = hn::Mul(push, constant(1.0 / 1.1));
  const V inertia = hn::NegMulAdd(hn::Mul(cosine, cosine), constant(0.05 / 1.1), constant(2.0 / 3.0));
  const V wdot = hn::Div(hn::NegMulAdd(cosine, tmp, hn::Mul(constant(9.8), sine)), inertia);
  const V vdot = hn::NegMulAdd(hn::Mul(constant(0.05 / 1.1), cosine), wdot, tmp);

  const auto mask = hn::Gt(is_live, hn::Zero(d));
  const V dt = constant(0.02);
  return {hn::IfThenElseZero(mask, hn::MulAdd(dt, old.v, old.x)), hn::IfThenElseZero(mask, hn::MulAdd(dt, vdot, old.v)),
          hn::IfThenElseZero(mask, hn::MulAdd(dt, old.w, old.phi)),
          hn::IfThenElseZero(mask, hn::MulAdd(dt, wdot, old.w))};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Mask<D> has_fallen(D d, const State<V>& state) {
  return hn::Or(hn::Gt(hn::Abs(state.x), hn::Set(d, 2.4)), hn::Gt(hn::Abs(state.phi), hn::Set(d, 0.20943951023931953)));
}

void cart_pole_step_target(std::size_t count, std::size_t lanes, const double* forces, const double* live,
                           double* state, double* observations, double* rewards, double* terminated) {
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    const auto is_live = hn::LoadU(d, live + i);
    const auto next = moved(d, load(d, state + i, lanes), hn::LoadU(d, forces + i), is_live);
    store(d, next, state + i, lanes);
    store(d, next, observations + i, lanes);
    hn::StoreU(is_live, d, rewards + i);
    hn::StoreU(hn::IfThenElseZero(has_fallen(d, next), hn::Set(d, 1.0)), d, terminated + i);
  });
}

/// Keeps `kVectors` neighboring vectors of lanes in registers over all steps. Each step waits for the one before it, so
/// two take little longer than one.
template <std::size_t kVectors, class D>
HWY_INLINE void follow_lanes(D d, std::size_t first, const FeedbackRows& rows, double* states) {
  using V = hn::Vec<D>;
  const std::size_t lanes = rows.lanes;
  const V theta0 = hn::Set(d, rows.theta[0]), theta1 = hn::Set(d, rows.theta[1]);
  const V theta2 = hn::Set(d, rows.theta[2]), theta3 = hn::Set(d, rows.theta[3]);
  const V deviation = hn::Set(d, rows.deviation[0]);
  State<V> state[kVectors];
  V is_live[kVectors], age[kVectors];
  for (std::size_t k = 0; k < kVectors; ++k) {
    const std::size_t i = first + k * hn::Lanes(d);
    state[k] = load(d, states + i, lanes);
    is_live[k] = hn::LoadU(d, rows.live + i);
    age[k] = hn::LoadU(d, rows.age + i);
  }
  for (std::size_t t = 0; t < rows.steps; ++t) {
    const V last_age = hn::Set(d, rows.last_age - static_cast<double>(t));
    double* residuals = rows.columns + (5 * t + 4) * lanes;
    for (std::size_t k = 0; k < kVectors; ++k) {
      const std::size_t i = first + k * hn::Lanes(d);
      V mean = hn::MulAdd(theta0, state[k].x, hn::Zero(d));
      mean = hn::MulAdd(theta1, state[k].v, mean);
      mean = hn::MulAdd(theta2, state[k].phi, mean);
      mean = hn::MulAdd(theta3, state[k].w, mean);
      const V action = hn::MulAdd(deviation, hn::LoadU(d, rows.noise[t] + i), mean);
      hn::StoreU(action, d, rows.actions + t * lanes + i);
      hn::StoreU(hn::Sub(action, mean), d, residuals + i);
      hn::StoreU(is_live[k], d, rows.rewards + t * lanes + i);
      state[k] = moved(d, state[k], action, is_live[k]);
      store(d, state[k], residuals + lanes + i, lanes);
      const auto goes_on = hn::AndNot(has_fallen(d, state[k]), hn::Lt(age[k], last_age));
      is_live[k] = hn::IfThenElseZero(goes_on, is_live[k]);
      hn::StoreU(is_live[k], d, rows.live + (t + 1) * lanes + i);
    }
  }
  for (std::size_t k = 0; k < kVectors; ++k) store(d, state[k], states + first + k * hn::Lanes(d), lanes);
}

void cart_pole_follow_target(const FeedbackRows& rows, double* state) {
  const hn::ScalableTag<double> wide;
  std::size_t i = 0;
  for (; i + 2 * hn::Lanes(wide) <= rows.count; i += 2 * hn::Lanes(wide)) follow_lanes<2>(wide, i, rows, state);
  for_each_vector(rows.count - i,
                  [&](auto d, std::size_t rest) HWY_ATTR { follow_lanes<1>(d, i + rest, rows, state); });
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(cart_pole_step_target);
HWY_EXPORT(cart_pole_follow_target);

void cart_pole_step(std::size_t count, std::size_t lanes, const double* forces, const double* live, double* state,
                    double* observations, double* rewards, double* terminated) {
  HWY_DISPATCH_TABLE(cart_pole_step_target)
  [dispatch_row](count, lanes, forces, live, state, observations, rewards, terminated);
}

void cart_pole_follow(const FeedbackRows& rows, double* state) {
  HWY_DISPATCH_TABLE(cart_pole_follow_target)[dispatch_row](rows, state);
}

}  // namespace retropg::kernels
#endif
