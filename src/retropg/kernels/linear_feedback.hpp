#pragma once

#include <cstddef>

namespace retropg::kernels {

/// Several steps of the first `count` lanes (a multiple of 4) under the actions Theta s + deviation noise, where s is
/// the observation. Rows have `lanes` numbers; the rows of a step follow those of the step before it.
struct FeedbackRows {
  std::size_t count, lanes, steps;
  const double* theta;         // as many numbers per action as an observation has
  const double* deviation;     // one number per action
  const double* const* noise;  // points at one row per step and action
  const double* age;           // one row: the steps of the lane's trajectory before these
  double last_age;             // a trajectory ends with the step before which it has this age
  double* columns;             // per step the observation, then the residuals a - Theta s; the first observation is
                               // input, and there is one after the last step
  double* actions;
  double* rewards;
  double* live;  // 1 where the trajectory goes on; the first row is input, and there is one after the last step
};

}  // namespace retropg::kernels
