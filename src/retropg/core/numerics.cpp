#include "retropg/core/numerics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace retropg {

double log_sum_exp(std::span<const double> x) {
  double high = -std::numeric_limits<double>::infinity();
  for (const double value : x) {
    if (std::isnan(value)) return value;
    high = std::max(high, value);
  }
  if (std::isinf(high)) return high;
  double sum = 0.0;
  for (const double value : x) sum += std::exp(value - high);
  return high + std::log(sum);
}

double mean(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double standard_deviation(std::span<const double> x) {
  return standard_deviation(x, mean(x));
}

double standard_deviation(std::span<const double> x, double center) {
  if (x.size() < 2) return 0.0;
  double sum = 0.0;
  for (const double value : x) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(x.size() - 1));
}

double norm(std::span<const double> x) {
  double squares = 0.0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

bool all_finite(std::span<const double> x) {
  return std::ranges::all_of(x, [](double value) { return std::isfinite(value); });
}

}  // namespace retropg
