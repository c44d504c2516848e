#include "retropg/statistics/run_score.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

constexpr Index kGridPoints = 400;  // finer than a figure shows; the cost of a speed-up is linear in it

/// The integral of the step function from 0 to x.
class StepIntegral {
 public:
  explicit StepIntegral(const Curve& curve) : curve_(curve) {
    require_valid(curve);
    require(curve.x.front() > 0.0, "the x values of a curve count collected trajectories and must be positive");
    double previous = 0.0, sum = 0.0;
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
      sum += (curve.x[k] - previous) * curve.y[k];
      previous = curve.x[k];
      at_points_.push_back(sum);
    }
  }

  double operator()(double x) const {
    const auto k = as_size(std::ranges::lower_bound(curve_.x, x) - curve_.x.begin());
    return at_points_[k] - (curve_.x[k] - x) * curve_.y[k];
  }

 private:
  const Curve& curve_;
  std::vector<double> at_points_;
};

}  // namespace

double step_mean(const Curve& curve, double low, double high) {
  const StepIntegral integral(curve);
  const double end = std::min(high, curve.x.back());
  return end <= low ? curve.y.back() : (integral(end) - integral(low)) / (end - low);
}

Curve running_mean(const Curve& curve, double window) {
  require(window > 0.0, "the window of a running mean must be positive, not " + std::to_string(window));
  const StepIntegral integral(curve);
  Curve result;
  for (const double x : curve.x) {
    if (x < window) continue;
    result.x.push_back(x);
    result.y.push_back((integral(x) - integral(x - window)) / window);
  }
  return result;
}

std::optional<double> first_reach(const Curve& curve, double threshold) {
  const auto found = std::ranges::find_if(curve.y, [&](double y) { return y >= threshold; });
  if (found == curve.y.end()) return std::nullopt;
  return curve.x[as_size(found - curve.y.begin())];
}

RunScore score(const Curve& curve, double budget, std::optional<double> threshold) {
  const Curve running = running_mean(curve, std::min(kRunningTrajectories, budget));
  RunScore result{.area = area_under_curve(curve, budget),
                  .start = curve.y.front(),
                  .end = step_mean(curve, (1.0 - kFinalShare) * budget, budget),
                  .fall = 0.0,
                  .reached = threshold ? first_reach(running, *threshold) : std::nullopt};
  double highest = running.y.empty() ? 0.0 : running.y.front();
  for (const double y : running.y) {
    highest = std::max(highest, y);
    result.fall = std::max(result.fall, highest - y);
  }
  return result;
}

std::vector<double> common_grid(Index budget) {
  require(budget >= 1, "a budget must be at least 1, not " + std::to_string(budget));
  const Index points = std::clamp<Index>(budget, 2, kGridPoints);
  std::vector<double> grid;
  for (Index g = 1; g <= points; ++g) {
    grid.push_back(static_cast<double>(budget) * static_cast<double>(g) / static_cast<double>(points));
  }
  return grid;
}

Curve on_grid(const Curve& curve, std::span<const double> grid) {
  return {.x = {grid.begin(), grid.end()}, .y = interpolate(curve, grid)};
}

}  // namespace retropg
