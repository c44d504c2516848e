#include "retropg/training/told_rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace retropg {
namespace {

constexpr int kFraction = 52;             // bits of a double's significand after the first
constexpr double kErrors = 64.0;          // that a multiple of a grid may be off, in roundings
constexpr double kFinest = 10 * kErrors;  // a grid that is finer cannot be told from rounding

/// The positive distances between neighbors, in rising order.
std::vector<double> distances(std::vector<double> numbers, double least) {
  std::ranges::sort(numbers);
  std::vector<double> result;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (const double distance = numbers[i] - numbers[i - 1]; distance > least) result.push_back(distance);
  }
  std::ranges::sort(result);
  return result;
}

/// What all numbers are multiples of, but for a constant and their rounding; 0: nothing. Begins with the smallest
/// distance; the remainder of one that is no multiple is the next to be tried. Small multiples, and an average over
/// those so far, keep errors from growing.
double grid_of(std::vector<double> numbers, double error) {
  const std::vector<double> all = distances(std::move(numbers), kErrors * error);
  double grid = all.empty() ? 0.0 : all.front();
  while (grid > kFinest * error) {
    double sum = 0.0, multiples = 0.0, missed = 0.0;
    for (const double distance : all) {
      const double multiple = std::round(distance / grid);
      missed = std::abs(distance - multiple * grid);
      if (missed > kErrors * error) break;
      sum += distance;
      multiples += multiple;
      grid = sum / multiples;
    }
    if (missed <= kErrors * error) return grid;
    grid = missed;
  }
  return 0.0;
}

}  // namespace

double Rounding::step(double x) const {
  return std::max(grid, std::abs(x) * std::ldexp(1.0, 1 - bits));
}

Rounding rounding_of(const TrajectoryBatch& batch, Index u) {
  std::vector<double> numbers;
  numbers.reserve(as_size(batch.steps()));
  std::uint64_t fractions = 0;
  double largest = 0.0;
  for (Index t = 0; t < batch.steps(); ++t) {
    const double action = batch.actions[as_size(t * batch.action_size + u)];
    numbers.push_back(action);
    fractions |= std::bit_cast<std::uint64_t>(action);
    largest = std::max(largest, std::abs(action));
  }
  fractions &= (std::uint64_t{1} << kFraction) - 1;
  Rounding rounding{.bits = fractions == 0 ? 1 : kFraction + 1 - std::countr_zero(fractions)};
  rounding.grid = grid_of(std::move(numbers), rounding.step(largest));
  return rounding;
}

}  // namespace retropg
