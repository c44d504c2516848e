#pragma once

#include <span>

#include "retropg/core/types.hpp"

namespace retropg {

/// log sum_j e^{x_j}, summed in index order; -inf for an empty span, NaN if any value is NaN.
double log_sum_exp(std::span<const double> x);

double mean(std::span<const double> x);

/// Sample standard deviation (n - 1 in the denominator); 0 for fewer than two values.
double standard_deviation(std::span<const double> x);
/// The same if the mean is known.
double standard_deviation(std::span<const double> x, double mean);

double norm(std::span<const double> x);

bool all_finite(std::span<const double> x);

}  // namespace retropg
