#pragma once

#include <span>
#include <vector>

namespace retropg {

struct Interval {
  double low, high;
};

/// The z with P(Z <= z) = p for a standard normal Z; 0 < p < 1.
double normal_quantile(double p);

/// The t with P(T <= t) = p for Student's T; degrees of freedom need not be whole.
double student_t_quantile(double p, double degrees_of_freedom);

/// Two-sided Student t interval of the mean. Fewer than two values say nothing: (-inf, inf).
Interval mean_interval(std::span<const double> values, double level);

/// A mean with s / sqrt(n) and the half-widths of its two-sided intervals: `normal` is the one papers print,
/// `student_t` (n - 1 degrees of freedom) the one that holds its level with few values. One value has infinite
/// half-widths.
struct MeanEstimate {
  double mean = 0.0, standard_error = 0.0, normal = 0.0, student_t = 0.0;
};
MeanEstimate mean_estimate(std::span<const double> values, double level);

/// The two quantiles that leave out (1 - level) / 2 of the samples on each side, linear between order statistics
/// (numpy's default, type 7 of Hyndman and Fan).
Interval percentile_interval(std::vector<double> samples, double level);

/// Welch's interval of mean(a) - mean(b): variances may differ, degrees of freedom after Satterthwaite. Fewer than two
/// values on a side: (-inf, inf).
Interval welch_interval(std::span<const double> a, std::span<const double> b, double level);

}  // namespace retropg
