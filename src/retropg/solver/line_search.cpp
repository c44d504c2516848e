#include "retropg/solver/line_search.hpp"

#include <cmath>
#include <limits>

namespace retropg {
namespace {

constexpr Index kMostEvaluations = 30;
constexpr double kLeastProgress = 1e-4;
constexpr double kGrowth = 2.0;
constexpr double kRetreat = 0.1;

}  // namespace

LineSearch parabolic_search(const std::function<double(double step)>& gain) {
  LineSearch last{.step = 0.0, .gain = -std::numeric_limits<double>::infinity(), .evaluations = 0};
  double step = 1.0;
  while (last.evaluations < kMostEvaluations) {
    const double now = gain(step);
    ++last.evaluations;
    if (!std::isfinite(now)) {
      if (std::isfinite(last.gain)) break;
      step *= kRetreat;
      continue;
    }
    if (now <= last.gain + kLeastProgress) break;
    last.step = step;
    last.gain = now;
    step = now > (1.0 - 0.5 / kGrowth) * step ? kGrowth * step : step * step / (2.0 * (step - now));
  }
  if (last.gain < 0.0) last.step = last.gain = 0.0;
  return last;
}

}  // namespace retropg
