#pragma once

#include <cstdint>
#include <span>

#include "retropg/core/types.hpp"
#include "retropg/statistics/curve.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg {

/// The lowest speed-up in the search.
inline constexpr double kLowestSpeedup = 0.5;

/// How many times as many trajectories the reference needs: the s in {0.50, 0.51, ..., highest} for which the candidate
/// with its x axis multiplied by s is nearest to the reference,
///   argmin_s mean_i (candidate(x_i / s) - reference(x_i))^2 over the reference's points x_i,
/// with the candidate interpolated linearly and constant outside its points. Among exact ties the s nearest to 1 wins,
/// so that equal curves have speed-up 1. NaN if a value is not finite.
double speedup(const Curve& reference, const Curve& candidate, double highest);

struct Speedup {
  double ratio = 0.0;             // from the mean curves
  Interval paper{}, bootstrap{};  // 95 % each
};

/// `paper` repeats the search between shifted mean curves, (candidate - h, reference + h) for the low end and the
/// opposite signs for the high end, where h is the half-width of a two-sided 97.5 % normal interval: two bands of
/// 97.5 % give 95 % jointly. It is about twice as wide as needed. `bootstrap` is the percentile interval over
/// `resamples` pairs of mean curves of runs drawn with replacement within each arm, on the streams (seed, resample,
/// arm). An interval that cannot be computed (one run in an arm, no resamples, a value that is not finite) is (-inf,
/// inf).
Speedup speedup_with_intervals(std::span<const Curve> reference_runs, std::span<const Curve> candidate_runs,
                               double highest, std::uint64_t seed, Index resamples);

}  // namespace retropg
