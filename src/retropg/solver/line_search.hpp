#pragma once

#include <functional>

#include "retropg/core/types.hpp"

namespace retropg {

/// Where a search ended: at the start with step and gain 0, or at a better point.
struct LineSearch {
  double step = 0.0;
  double gain = 0.0;
  Index evaluations = 0;
};

/// The parabolic search of POIS for the maximum of gain(step), gain(0) = 0, whose slope at 0 is 1. Starts at step 1;
/// the next step is the top of the parabola through 0 with that slope and the last gain,  step^2 / (2 (step - gain)),
/// or twice the step where the top lies beyond it. Ends when a gain does not exceed the last one by 1e-4, and gives the
/// last point, or the start if that was worse. A gain that is not finite counts as minus infinity: the search goes back
/// to the last point, or on with a tenth of the step if there is none.
LineSearch parabolic_search(const std::function<double(double step)>& gain);

}  // namespace retropg
