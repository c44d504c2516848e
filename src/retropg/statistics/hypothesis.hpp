#pragma once

#include <span>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg {

/// An estimated difference with what its t distribution needs.
struct Contrast {
  double difference = 0.0, standard_error = 0.0;
  double freedom = 0.0;  // degrees of freedom; 0 if there are too few values for a standard error
};

/// mean(a) - factor mean(b) by Welch: unequal variances, Satterthwaite's degrees of freedom.
Contrast welch_contrast(std::span<const double> a, std::span<const double> b, double factor = 1.0);

/// mean(a) - value.
Contrast mean_contrast(std::span<const double> a, double value);

/// Two-sided t interval; (-inf, inf) without degrees of freedom.
Interval contrast_interval(const Contrast& contrast, double level);

/// One-sided p-value against "the difference is at most `bound`": small if it is clearly larger.
double p_above(const Contrast& contrast, double bound);
/// One-sided p-value against "the difference is at least `bound`": small if it is clearly smaller.
double p_below(const Contrast& contrast, double bound);

/// One-sided p-value of Fisher's exact test against "the first is not more likely": `first` of `first_runs` against
/// `second` of `second_runs`.
double fisher_p(Index first, Index first_runs, Index second, Index second_runs);

/// Holm's adjusted p-values, in the order given: reject where they are at most alpha, and the chance of any false
/// rejection is at most alpha.
std::vector<double> holm_adjusted(std::span<const double> p);

}  // namespace retropg
