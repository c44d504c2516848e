#include "retropg/statistics/speedup.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/core/random.hpp"

namespace retropg {
namespace {

using Values = std::span<const double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kLowest = static_cast<Index>(100.0 * kLowestSpeedup), kCoarse = 5;  // hundredths of s

/// The search for s between curves on two fixed grids. s is counted in hundredths, so that 3.72 is exactly 3.72.
class StretchSearch {
 public:
  StretchSearch(Values reference_x, Values candidate_x, double highest)
      : reference_x_(reference_x),
        candidate_x_(candidate_x),
        highest_(std::llround(std::floor(highest * 100.0 + 1e-6))) {
    require(highest_ >= kLowest, "the highest speed-up must be at least 0.5, not " + std::to_string(highest));
    require(candidate_x.size() >= 2, "a speed-up needs at least two points of the candidate");
    const std::size_t last = candidate_x.size() - 1;
    for (std::size_t j = 0; j < last; ++j) inverse_width_.push_back(1.0 / (candidate_x[j + 1] - candidate_x[j]));
    points_per_x_ = static_cast<double>(last) / (candidate_x[last] - candidate_x[0]);
  }

  /// Searches every s of the grid. NaN if any value is not finite, even one that some s would never read.
  double best(Values reference, Values candidate) const {
    if (!all_finite(reference) || !all_finite(candidate)) return in_units(-1);
    return in_units(best_of(reference, candidate, kLowest, highest_, 1, -1, kInfinity));
  }

  /// Searches every fifth s, then every s around the best of them, because the error has one broad valley. The guess
  /// only saves time: its error is a bound at which most other sums stop early.
  double best_near(Values reference, Values candidate, double guess) const {
    const double bound = squared_error(reference, candidate, guess, kInfinity);
    const Index near = best_of(reference, candidate, kLowest, highest_, kCoarse, std::llround(guess * 100.0), bound);
    return in_units(best_of(reference, candidate, std::max(kLowest, near - kCoarse + 1),
                            std::min(highest_, near + kCoarse - 1), 1, -1, kInfinity));
  }

 private:
  static double in_units(Index hundredths) {
    return hundredths < 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(hundredths) / 100.0;
  }

  /// Hundredths of the best s among first, first + step, ... and `best`, whose error is `least` (-1 and infinity: none
  /// yet). Flat curves fit equally well for every s, so the s nearest to 1 wins an exact tie.
  Index best_of(Values reference, Values candidate, Index first, Index last, Index step, Index best,
                double least) const {
    for (Index s = first; s <= last; s += step) {
      const double error = squared_error(reference, candidate, in_units(s), least);
      const bool wins_tie = best >= 0 && error == least && std::abs(s - 100) < std::abs(best - 100);
      if (error < least || wins_tie) {
        least = error;
        best = s;
      }
    }
    return best;
  }

  /// sum_i (candidate(x_i / s) - reference(x_i))^2, or a partial sum that exceeds `enough`. x_i / s increases with i,
  /// so there are three ranges of i: left of the candidate's grid, inside it and right of it.
  double squared_error(Values reference, Values candidate, double s, double enough) const {
    const std::size_t count = reference_x_.size();
    const double scale = 1.0 / s, first = candidate_x_.front(), last = candidate_x_.back();
    double sum = 0.0;
    std::size_t i = 0, j = 0;
    for (; i < count && reference_x_[i] * scale <= first; ++i) sum += square(candidate.front() - reference[i]);
    for (; i < count; ++i) {
      const double x = reference_x_[i] * scale;
      if (x >= last) break;
      j = interval_of(x, j);
      const double share = (x - candidate_x_[j]) * inverse_width_[j];
      sum += square(candidate[j] + share * (candidate[j + 1] - candidate[j]) - reference[i]);
      if (sum > enough) return sum;
    }
    for (; i < count; ++i) sum += square(candidate.back() - reference[i]);
    return sum;
  }

  /// The j with x_j <= x <= x_{j+1}. On an even grid it can be computed directly; if that misses (uneven grid,
  /// rounding), search on from the previous interval.
  std::size_t interval_of(double x, std::size_t previous) const {
    const auto place = static_cast<Index>((x - candidate_x_[0]) * points_per_x_);
    const std::size_t guess = std::min(as_size(place), inverse_width_.size() - 1);
    if (candidate_x_[guess] <= x && x <= candidate_x_[guess + 1]) return guess;
    std::size_t j = previous;
    while (candidate_x_[j + 1] < x) ++j;
    return j;
  }

  static double square(double x) { return x * x; }

  Values reference_x_, candidate_x_;
  Index highest_;
  std::vector<double> inverse_width_;
  double points_per_x_ = 0.0;
};

std::vector<double> shifted(const Band& band, double standard_errors) {
  std::vector<double> values(band.mean);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] += standard_errors * band.standard_error[k];
  return values;
}

/// Mean curves of runs drawn with replacement.
class Resampler {
 public:
  Resampler(std::span<const Curve> runs, Values x, std::uint64_t seed, std::uint32_t arm)
      : name_{.seed = seed, .purpose = Purpose::kBootstrap, .iteration = 0, .trajectory = arm},
        times_(runs.size()),
        mean_(x.size()) {
    for (const Curve& run : runs) runs_.push_back(interpolate(run, x));
  }

  Values draw(Index resample) {
    name_.iteration = static_cast<std::uint32_t>(resample);
    RandomStream random(name_);
    const Index count = std::ssize(runs_);
    std::ranges::fill(times_, 0.0);
    for (Index i = 0; i < count; ++i) times_[as_size(random.below(count))] += 1.0;
    std::ranges::fill(mean_, 0.0);
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      if (times_[run] == 0.0) continue;  // more than a third of the runs
      const double weight = times_[run] / static_cast<double>(count);
      for (std::size_t k = 0; k < mean_.size(); ++k) mean_[k] += weight * runs_[run][k];
    }
    return mean_;
  }

 private:
  StreamName name_;
  std::vector<std::vector<double>> runs_;
  std::vector<double> times_, mean_;
};

}  // namespace

double speedup(const Curve& reference, const Curve& candidate, double highest) {
  require_valid(reference);
  require_valid(candidate);
  return StretchSearch(reference.x, candidate.x, highest).best(reference.y, candidate.y);
}

Speedup speedup_with_intervals(std::span<const Curve> reference_runs, std::span<const Curve> candidate_runs,
                               double highest, std::uint64_t seed, Index resamples) {
  const Band reference = band(reference_runs), candidate = band(candidate_runs);
  const StretchSearch search(reference.x, candidate.x, highest);
  Speedup result{.ratio = search.best(reference.mean, candidate.mean),
                 .paper = {-kInfinity, kInfinity},
                 .bootstrap = {-kInfinity, kInfinity}};
  if (std::isnan(result.ratio) || reference.runs < 2 || candidate.runs < 2) return result;

  const double q = normal_quantile(0.5 + 0.5 * 0.975);
  result.paper = {search.best(shifted(reference, q), shifted(candidate, -q)),
                  search.best(shifted(reference, -q), shifted(candidate, q))};

  if (resamples < 1) return result;
  Resampler references(reference_runs, reference.x, seed, 0), candidates(candidate_runs, candidate.x, seed, 1);
  std::vector<double> ratios;
  for (Index r = 0; r < resamples; ++r) {
    ratios.push_back(search.best_near(references.draw(r), candidates.draw(r), result.ratio));
  }
  result.bootstrap = percentile_interval(std::move(ratios), 0.95);
  return result;
}

}  // namespace retropg
