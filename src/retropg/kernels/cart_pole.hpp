#pragma once

#include <cstddef>

#include "retropg/kernels/linear_feedback.hpp"

namespace retropg::kernels {

/// Forces are clipped to +- this.
inline constexpr double kCartPoleForce = 10.0;

/// One explicit Euler step of the continuous Cart Pole in the first `count` lanes (a multiple of 4). `state` holds the
/// rows x, v, phi, w of `lanes` numbers and is advanced where live; ended lanes become 0. The new state is also written
/// to `observations`, the reward (1 in live lanes) to `rewards`, and 1 to `terminated` where |x| > 2.4 or |phi| > 12
/// degrees.
void cart_pole_step(std::size_t count, std::size_t lanes, const double* forces, const double* live, double* state,
                    double* observations, double* rewards, double* terminated);

/// Several steps with the actions of a linear policy; `state` as above. The same bits as `linear_gaussian_act`,
/// `cart_pole_step` and `end_lanes` in turn.
void cart_pole_follow(const FeedbackRows& rows, double* state);

}  // namespace retropg::kernels
