#pragma once

#include <optional>
#include <span>
#include <vector>

#include "retropg/core/archive.hpp"
#include "retropg/environment/returns.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/training/estimated_return.hpp"
#include "retropg/training/recent_returns.hpp"

namespace retropg {

/// What an iteration says of the return of its iterate.
struct IterateReturns {
  ReturnEstimate value{};             // from all trajectories used
  std::span<const double> fresh{};    // of the trajectories drawn from it
  std::optional<double> predicted{};  // from the trajectories before them alone
  Index collected = 0;                // trajectories so far
};

/// Follows the estimated return of every iterate. Chooses the one whose interval has the highest lower end, but only if
/// that, with the allowance for having been chosen, is above the upper end of the newest interval with the same
/// allowance: while returns rise, the largest of many estimates is mostly luck, and a bad one of the newest iterate may
/// be, too.
class IterateChoice {
 public:
  IterateChoice(Parameters theta, const ReturnRange& range);

  void consider(Parameters theta, const IterateReturns& returns);

  /// Whether another iterate is better than the newest one.
  bool has_better() const;
  Parameters better() const { return best_; }
  EstimatedReturn better_return() const;
  /// Of the iterate after the newest update, from a prediction of its return; without one, from that of the iterate
  /// before the update.
  EstimatedReturn last_return(const std::optional<ReturnEstimate>& predicted) const;

  void state(Archive& archive);

 private:
  double choices(const ReturnWithError& value) const;

  ReturnRange range_;
  RecentReturns recent_;
  std::vector<double> best_;
  ReturnWithError best_return_, newest_;
  double lowest_;  // lower end of the best one's interval, without the allowance for having been chosen
  Index collected_ = 0;
};

}  // namespace retropg
