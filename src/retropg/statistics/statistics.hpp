#pragma once

#include <span>
#include <vector>

namespace retropg {

struct Interval {
  double low, high;
};

/// s^2 / n
double variance_of_mean(std::span<const double> values);

/// The z with P(Z <= z) = p for a standard normal Z; 0 < p < 1.
double normal_quantile(double p);

/// The t with P(T <= t) = p for Student's T; degrees of freedom may be fractional.
double student_t_quantile(double p, double degrees_of_freedom);

/// Two-sided Student t interval of the mean; (-inf, inf) for fewer than two values.
Interval mean_interval(std::span<const double> values, double level);

/// A mean with its standard error s / sqrt(n) and the half-widths of two-sided intervals: `normal` is what papers
/// usually print; `student_t` (n - 1 degrees of freedom) keeps its level with few values. With one value they are
/// infinite.
struct MeanEstimate {
  double mean = 0.0, standard_error = 0.0, normal = 0.0, student_t = 0.0;
};
MeanEstimate mean_estimate(std::span<const double> values, double level);

/// The quantiles that cut off (1 - level) / 2 of the samples on each side, interpolated linearly between order
/// statistics (NumPy's default, type 7 of Hyndman and Fan).
Interval percentile_interval(std::vector<double> samples, double level);

/// Welch's interval of mean(a) - mean(b): unequal variances, Satterthwaite's degrees of freedom; (-inf, inf) with fewer
/// than two values on a side.
Interval welch_interval(std::span<const double> a, std::span<const double> b, double level);

}  // namespace retropg
