#include "retropg/statistics/curve.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

/// Value at x, where `next` is the first point to the right of x.
double value_before(const Curve& curve, std::size_t next, double x) {
  if (next == 0) return curve.y.front();
  if (next == curve.x.size()) return curve.y.back();
  const double x0 = curve.x[next - 1], x1 = curve.x[next], y0 = curve.y[next - 1], y1 = curve.y[next];
  return y0 + (y1 - y0) * ((x - x0) / (x1 - x0));
}

}  // namespace

void require_valid(const Curve& curve) {
  require(!curve.x.empty(), "a curve has no points");
  require(curve.x.size() == curve.y.size(), "a curve has " + std::to_string(curve.x.size()) + " values of x and " +
                                                std::to_string(curve.y.size()) + " of y");
  require(std::ranges::adjacent_find(curve.x, std::greater_equal{}) == curve.x.end(),
          "the x values of a curve must strictly increase");
}

double interpolate(const Curve& curve, double x) {
  require_valid(curve);
  const auto next = std::ranges::upper_bound(curve.x, x) - curve.x.begin();
  return value_before(curve, as_size(next), x);
}

std::vector<double> interpolate(const Curve& curve, std::span<const double> grid) {
  require_valid(curve);
  if (std::ranges::equal(curve.x, grid)) return curve.y;
  std::vector<double> values;
  values.reserve(grid.size());
  std::size_t next = 0;
  for (const double x : grid) {
    while (next < curve.x.size() && curve.x[next] <= x) ++next;
    values.push_back(value_before(curve, next, x));
  }
  return values;
}

double area_under_curve(const Curve& curve, double budget) {
  require_valid(curve);
  require(curve.x.front() > 0.0, "the x values of a curve count collected trajectories and must be positive");
  require(curve.x.front() <= budget,
          "the first batch of a curve ends after the budget of " + std::to_string(budget) + " trajectories");
  double sum = 0.0, previous = 0.0;
  for (std::size_t k = 0; k < curve.x.size() && curve.x[k] <= budget; ++k) {
    sum += (curve.x[k] - previous) * curve.y[k];
    previous = curve.x[k];
  }
  return sum / previous;  // the weights sum to the last x
}

Curve cut(const Curve& curve, double budget) {
  const auto points = std::ranges::upper_bound(curve.x, budget) - curve.x.begin();
  return {.x = {curve.x.begin(), curve.x.begin() + points}, .y = {curve.y.begin(), curve.y.begin() + points}};
}

Curve against_used(const Curve& curve, Index window) {
  require_valid(curve);
  require(window >= 1, "a window must have at least 1 batch, not " + std::to_string(window));
  Curve result{.x = {}, .y = curve.y};
  double used = 0.0;
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    used += curve.x[k] - (k < as_size(window) ? 0.0 : curve.x[k - as_size(window)]);
    result.x.push_back(used);
  }
  return result;
}

Band band(std::span<const Curve> runs) {
  require(!runs.empty(), "a band needs at least one run");
  const std::vector<double>& x = runs.front().x;
  std::vector<std::vector<double>> values;
  for (const Curve& run : runs) values.push_back(interpolate(run, x));

  Band result{.x = x,
              .mean = std::vector<double>(x.size()),
              .standard_error = std::vector<double>(x.size()),
              .runs = std::ssize(runs)};
  const auto n = static_cast<double>(result.runs);
  for (const auto& y : values) {
    for (std::size_t k = 0; k < x.size(); ++k) result.mean[k] += y[k];
  }
  for (double& mean : result.mean) mean /= n;
  if (result.runs < 2) return result;
  for (const auto& y : values) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      result.standard_error[k] += (y[k] - result.mean[k]) * (y[k] - result.mean[k]);
    }
  }
  for (double& squares : result.standard_error) squares = std::sqrt(squares / (n - 1.0) / n);
  return result;
}

}  // namespace retropg
