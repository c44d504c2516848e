#pragma once

#include <cstddef>

namespace retropg::kernels {

// Counts are multiples of 4; rows are `lanes` numbers apart.

/// next_live = 1 where the lane is live, `ended` is 0 (the environment did not end it) and it has steps left (age <
/// last_age, where age counts the lane's steps before this segment). Whatever `ended` is otherwise, it is at least 1.
void end_lanes(std::size_t count, double last_age, const double* age, const double* live, const double* ended,
               double* next_live);

/// The clocks of a block of lanes; each pointer is a row.
struct LaneClock {
  double* age;       // steps taken
  double* discount;  // gamma^age
  double* value;     // sum of discounted rewards so far
  double* squares;   // sum of the squares of rewards and actions so far
};

/// After `steps` steps with `actions` rows of actions each: rewards become discounted rewards (0 where not live), and
/// the clocks of live lanes advance.
void advance_clocks(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t actions, double gamma,
                    const double* live, const double* action_rows, double* rewards, const LaneClock& clock);

/// squares += the squares of the `width` rows of each step (steps are `stride` numbers apart), where the lane is live.
void add_squares(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t width, std::size_t stride,
                 const double* live, const double* rows, double* squares);

}  // namespace retropg::kernels
