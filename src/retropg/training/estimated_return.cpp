#include "retropg/training/estimated_return.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/core/error.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTail = 0.025;
constexpr double kReturnsAtOtherBound = 0.1;
constexpr double kRounding = 1e-9;  // of returns at a bound, as a share of the range
/// With fewer trajectories in effect, one that has nearly all of the weight would hide how much the others differ.
constexpr double kFewestForSpread = 2.0;
/// (kurtosis - 1) / 2 of exponential returns: by so much their variance is known worse than that of normal ones.
constexpr double kExponential = 4.0;
constexpr double kLeastFreedom = 2.0;

/// What is left of degrees of freedom that normal returns would give.
double discounted(double freedom) {
  return std::min(freedom, kLeastFreedom + (freedom - kLeastFreedom) / kExponential);
}

/// The share of the weight that is at a bound.
double at_bounds(const ReturnEstimate& estimate, double smallest, double largest) {
  const double rounding = kRounding * (largest - smallest);
  return (std::abs(estimate.smallest - smallest) <= rounding ? estimate.at_smallest : 0.0) +
         (std::abs(estimate.largest - largest) <= rounding ? estimate.at_largest : 0.0);
}

}  // namespace

double ReturnWithError::low(double tail) const {
  return freedom > 0.0 ? mean + student_t_quantile(tail, freedom) * error : -kInfinity;
}

double ReturnWithError::high(double tail) const {
  return freedom > 0.0 ? mean - student_t_quantile(tail, freedom) * error : kInfinity;
}

void ReturnWithError::state(Archive& archive, const std::string& name) {
  archive(name + "_mean", mean);
  archive(name + "_error", error);
  archive(name + "_freedom", freedom);
  archive(name + "_effective", effective);
  archive(name + "_trajectories", trajectories);
  const bool known = freedom >= 1.0 && trajectories >= 1;
  require(
      archive.saving() || (std::isfinite(mean) && error >= 0.0 && std::isfinite(error) && (known || freedom == 0.0) &&
                           std::isfinite(freedom) && effective >= 0.0 && std::isfinite(effective) && trajectories >= 0),
      "the saved state has an impossible estimate of a return");
}

ReturnWithError with_error(const ReturnEstimate& estimate, const ReturnRange& range, const Spread& spread) {
  const double n = estimate.effective;
  ReturnWithError result{.mean = estimate.mean, .effective = n, .trajectories = estimate.trajectories};
  const bool own = n >= kFewestForSpread;
  const double freedom = std::max(spread.freedom, own ? n - 1.0 : 0.0);
  if (n <= 0.0 || freedom < 1.0) return result;
  double variance = std::max(spread.variance, own ? estimate.variance * n / (n - 1.0) : 0.0);
  if (range.smallest && range.largest) {
    const double width = *range.largest - *range.smallest;
    variance += kReturnsAtOtherBound / n * at_bounds(estimate, *range.smallest, *range.largest) * width * width;
  }
  result.error = std::sqrt(variance / n);
  if (std::isfinite(result.error))
    result.freedom = discounted(freedom);
  else
    result.error = 0.0;
  return result;
}

EstimatedReturn estimated_return(const ReturnWithError& value, const ReturnRange& range, double choices,
                                 double excess) {
  const double low = value.low(kTail / std::max(1.0, choices)), high = value.high(kTail);
  return {.mean = value.mean,
          .low = std::max(range.smallest.value_or(-kInfinity), low - std::max(0.0, excess)),
          .high = std::min(range.largest.value_or(kInfinity), high + std::max(0.0, -excess)),
          .effective = value.effective,
          .trajectories = value.trajectories,
          .freedom = value.freedom};
}

}  // namespace retropg
