#pragma once

#include <cstddef>

namespace retropg::kernels {

/// The clocks of a block of lanes; each pointer is a row.
struct LaneClock {
  double* age;       // steps taken
  double* discount;  // gamma^age
  double* value;     // sum of discounted rewards so far
};

/// After one step of the first `count` lanes (a multiple of 4) where live = 1: rewards become discounted rewards (0 in
/// ended lanes), clocks advance, and next_live is 0 where the lane has ended, terminated now or reached the horizon.
void advance_lanes(std::size_t count, double gamma, double horizon, const double* live, const double* terminated,
                   double* rewards, const LaneClock& clock, double* next_live);

}  // namespace retropg::kernels
