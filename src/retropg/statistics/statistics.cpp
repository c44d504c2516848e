#include "retropg/statistics/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/statistics/hypothesis.hpp"

namespace retropg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require_level(double level) {
  require(level > 0.0 && level < 1.0, "a level must lie strictly between 0 and 1, not " + std::to_string(level));
}

/// The p-quantile of sorted samples.
double sorted_quantile(std::span<const double> sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

}  // namespace

double variance_of_mean(std::span<const double> values) {
  const double s = standard_deviation(values);
  return s * s / static_cast<double>(values.size());
}

double normal_quantile(double p) {
  require_level(p);
  return boost::math::quantile(boost::math::normal(), p);
}

double student_t_quantile(double p, double degrees_of_freedom) {
  require_level(p);
  require(degrees_of_freedom > 0.0, "degrees of freedom must be positive");
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), p);
}

Interval mean_interval(std::span<const double> values, double level) {
  if (values.empty()) return {-kInfinity, kInfinity};
  const MeanEstimate estimate = mean_estimate(values, level);
  return {estimate.mean - estimate.student_t, estimate.mean + estimate.student_t};
}

MeanEstimate mean_estimate(std::span<const double> values, double level) {
  require_level(level);
  require(!values.empty(), "a mean needs at least one value");
  if (values.size() < 2) return {values[0], 0.0, kInfinity, kInfinity};
  const double error = std::sqrt(variance_of_mean(values)), p = 0.5 + 0.5 * level;
  return {.mean = mean(values),
          .standard_error = error,
          .normal = normal_quantile(p) * error,
          .student_t = student_t_quantile(p, static_cast<double>(values.size() - 1)) * error};
}

Interval percentile_interval(std::vector<double> samples, double level) {
  require_level(level);
  require(!samples.empty(), "a percentile interval needs at least one sample");
  require(all_finite(samples), "a percentile interval needs finite samples");
  std::ranges::sort(samples);
  return {sorted_quantile(samples, 0.5 - 0.5 * level), sorted_quantile(samples, 0.5 + 0.5 * level)};
}

Interval welch_interval(std::span<const double> a, std::span<const double> b, double level) {
  require_level(level);
  if (a.size() < 2 || b.size() < 2) return {-kInfinity, kInfinity};
  return contrast_interval(welch_contrast(a, b), level);
}

}  // namespace retropg
