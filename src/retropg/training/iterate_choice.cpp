#include "retropg/training/iterate_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

constexpr double kTail = 0.025;
/// Of a candidate, which 10 normal returns would give: the first few returns of a run may be equal by chance.
constexpr double kLeastFreedom = 4.0;

}  // namespace

IterateChoice::IterateChoice(Parameters theta, const ReturnRange& range)
    : range_(range), best_(theta.begin(), theta.end()), lowest_(-std::numeric_limits<double>::infinity()) {}

void IterateChoice::consider(Parameters theta, const IterateReturns& returns) {
  recent_.add(returns.fresh, returns.predicted);
  newest_ = with_error(returns.value, range_, recent_.spread());
  collected_ = returns.collected;
  // Most iterates are seen to have a lower end that is not higher without a quantile.
  if (newest_.freedom < kLeastFreedom || newest_.mean - newest_.error <= lowest_) return;
  const double low = newest_.low(kTail);
  if (low <= lowest_) return;
  lowest_ = low;
  best_.assign(theta.begin(), theta.end());
  best_return_ = newest_;
}

/// The number of independent estimates that there may have been.
double IterateChoice::choices(const ReturnWithError& value) const {
  return std::max(1.0, static_cast<double>(collected_) / static_cast<double>(value.trajectories));
}

bool IterateChoice::has_better() const {
  if (best_return_.freedom == 0.0 || newest_.freedom == 0.0 || best_return_.mean <= newest_.mean) return false;
  return best_return_.low(kTail / choices(best_return_)) > newest_.high(kTail / choices(newest_));
}

EstimatedReturn IterateChoice::better_return() const {
  return estimated_return(best_return_, range_, choices(best_return_));
}

EstimatedReturn IterateChoice::last_return(const std::optional<ReturnEstimate>& predicted) const {
  return estimated_return(predicted ? with_error(*predicted, range_, recent_.spread()) : newest_, range_, 1.0,
                          recent_.excess());
}

void IterateChoice::state(Archive& archive) {
  archive("estimated", best_);
  archive("estimated_low", lowest_);
  archive("estimated_collected", collected_);
  best_return_.state(archive, "estimated");
  newest_.state(archive, "newest");
  recent_.state(archive);
  require(archive.saving() || (!std::isnan(lowest_) && collected_ >= 0 && all_finite(best_)),
          "the saved state has an impossible estimate of a return");
}

}  // namespace retropg
