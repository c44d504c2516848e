#include "retropg/training/iterate_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTail = 0.025;
constexpr double kReturnsAtABound = 0.1;
/// Of an estimate from fewer trajectories, in effect, nothing is known: one that has nearly all of the weight would
/// hide how much the others differ from it.
constexpr double kFewest = 2.0;

double square(double x) {
  return x * x;
}

void visit(Archive& archive, const std::string& name, ReturnEstimate& estimate) {
  archive(name + "_mean", estimate.mean);
  archive(name + "_variance", estimate.variance);
  archive(name + "_effective", estimate.effective);
  archive(name + "_trajectories", estimate.trajectories);
  require(archive.saving() ||
              (std::isfinite(estimate.mean) && estimate.variance >= 0.0 && std::isfinite(estimate.variance) &&
               estimate.effective >= 0.0 && std::isfinite(estimate.effective) && estimate.trajectories >= 0),
          "the saved state has an impossible estimate of a return");
}

}  // namespace

bool EstimatedReturn::known() const {
  return effective >= kFewest;
}

EstimatedReturn estimated_return(const ReturnEstimate& estimate, const ReturnRange& range, double choices) {
  const double n = estimate.effective;
  EstimatedReturn result{.mean = estimate.mean,
                         .low = range.smallest.value_or(-kInfinity),
                         .high = range.largest.value_or(kInfinity),
                         .effective = n,
                         .trajectories = estimate.trajectories};
  if (n < kFewest) return result;
  double variance = estimate.variance;
  for (const std::optional<double>& bound : {range.smallest, range.largest}) {
    if (bound) variance += kReturnsAtABound * square(*bound - estimate.mean) / n;
  }
  const double error = std::sqrt(variance / (n - 1.0));
  const double below = -normal_quantile(kTail / std::max(1.0, choices)), above = -normal_quantile(kTail);
  result.low = std::max(result.low, estimate.mean - below * error);
  result.high = std::min(result.high, estimate.mean + above * error);
  return result;
}

IterateChoice::IterateChoice(Parameters theta, const ReturnRange& range)
    : range_(range), best_(theta.begin(), theta.end()), lowest_(-kInfinity) {}

void IterateChoice::consider(Parameters theta, const ReturnEstimate& estimate, Index collected) {
  newest_ = estimate;
  const double low = estimated_return(estimate, range_).low;
  if (estimate.effective < kFewest || low <= lowest_) return;
  lowest_ = low;
  best_.assign(theta.begin(), theta.end());
  best_estimate_ = estimate;
  choices_ = static_cast<double>(collected) / static_cast<double>(estimate.trajectories);
}

bool IterateChoice::has_better() const {
  return lowest_ > newest_return().high;
}

void IterateChoice::state(Archive& archive) {
  archive("estimated", best_);
  archive("estimated_low", lowest_);
  archive("estimated_choices", choices_);
  visit(archive, "estimated", best_estimate_);
  visit(archive, "newest", newest_);
  require(archive.saving() || (!std::isnan(lowest_) && std::isfinite(choices_) && all_finite(best_)),
          "the saved state has an impossible estimate of a return");
}

}  // namespace retropg
