#pragma once

#include <vector>

#include "retropg/core/archive.hpp"
#include "retropg/environment/returns.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/reuse/return_estimate.hpp"

namespace retropg {

/// A mean return with a 95 % interval.
struct EstimatedReturn {
  double mean = 0.0, low = 0.0, high = 0.0;
  double effective = 0.0;  // trajectories it is worth; 0: nothing is known
  Index trajectories = 0;  // that entered

  /// Whether there are enough to estimate how far the mean may be off.
  bool known() const;
};

/// The interval is the normal one with two allowances. Returns that are all at a bound do not say that there are no
/// others: a tenth of a return at each known bound enters the variance. If the estimate was chosen as the largest of
/// `choices` independent ones, its lower end is that of all of them at once (Bonferroni).
EstimatedReturn estimated_return(const ReturnEstimate& estimate, const ReturnRange& range, double choices = 1.0);

/// Follows the estimated return of every iterate. Chooses the one whose interval has the highest lower end, but only if
/// that is above the upper end of the newest interval: while returns rise, the largest of many estimates is mostly
/// luck.
class IterateChoice {
 public:
  IterateChoice(Parameters theta, const ReturnRange& range);

  /// The estimate of an iterate, and the number of trajectories collected so far.
  void consider(Parameters theta, const ReturnEstimate& estimate, Index collected);

  /// Whether another iterate is better than the newest one.
  bool has_better() const;
  Parameters better() const { return best_; }
  EstimatedReturn better_return() const { return estimated_return(best_estimate_, range_, choices_); }
  /// Of the newest iterate that was estimated.
  EstimatedReturn newest_return() const { return estimated_return(newest_, range_); }

  void state(Archive& archive);

 private:
  ReturnRange range_;
  std::vector<double> best_;
  ReturnEstimate best_estimate_, newest_;
  double lowest_;  // lower end of the best one's interval, without the allowance for having chosen
  double choices_ = 1.0;
};

}  // namespace retropg
