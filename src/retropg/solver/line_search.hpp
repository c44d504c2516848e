#pragma once

#include <functional>

#include "retropg/core/types.hpp"

namespace retropg {

/// The result of a search: a better point, or the start with step and gain 0.
struct LineSearch {
  double step = 0.0;
  double gain = 0.0;
  Index evaluations = 0;
};

/// POIS's parabolic search for the maximum of gain(step), where gain(0) = 0 and the slope at 0 is 1. Starts at step 1;
/// the next step is the vertex of the parabola through 0 with that slope and through the last gain,
///   step^2 / (2 (step - gain)),
/// or twice the step if the vertex is beyond that. Stops when a gain exceeds the last one by no more than 1e-4, and
/// returns the last point, or the start if that is better. A non-finite gain counts as minus infinity: the search
/// returns to the last point, or tries a tenth of the step if there is none.
LineSearch parabolic_search(const std::function<double(double step)>& gain);

}  // namespace retropg
