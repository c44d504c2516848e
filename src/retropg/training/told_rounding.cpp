#include "retropg/training/told_rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace retropg {
namespace {

constexpr int kFraction = 52;             // bits of a double's significand after the first
constexpr double kErrors = 16.0;          // that differences and their remainders may have, in roundings
constexpr double kFinest = 10 * kErrors;  // a grid that is finer cannot be told from rounding

/// The greatest common divisor of the distances between neighbors, by Euclid's algorithm; 0 if there is none. Distances
/// are small multiples of it, so that their roundings stay small too.
double common_divisor(std::vector<double> numbers, double error) {
  std::ranges::sort(numbers);
  double divisor = 0.0;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    double rest = numbers[i] - numbers[i - 1];
    while (rest > kErrors * error) {
      if (divisor == 0.0) {
        divisor = rest;
        break;
      }
      const double left = std::fmod(rest, divisor);
      if (left <= kErrors * error || divisor - left <= kErrors * error) break;
      rest = divisor;
      divisor = left;
    }
    if (divisor > 0.0 && divisor < kFinest * error) return 0.0;
  }
  return divisor;
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
  rounding.grid = common_divisor(std::move(numbers), rounding.step(largest));
  return rounding;
}

}  // namespace retropg
