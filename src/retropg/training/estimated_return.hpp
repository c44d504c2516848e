#pragma once

#include "retropg/core/archive.hpp"
#include "retropg/environment/returns.hpp"
#include "retropg/reuse/return_estimate.hpp"
#include "retropg/training/recent_returns.hpp"

namespace retropg {

/// A mean return with a 95 % interval.
struct EstimatedReturn {
  double mean = 0.0, low = 0.0, high = 0.0;
  double effective = 0.0;  // trajectories it is worth
  Index trajectories = 0;  // that entered
  double freedom = 0.0;    // degrees of freedom of the interval; 0: how far the mean may be off is not known

  bool known() const { return freedom > 0.0; }
};

/// A mean return and how far it may be off.
struct ReturnWithError {
  double mean = 0.0, error = 0.0;  // its standard deviation
  double freedom = 0.0;            // of the t distribution of (mean - truth) / error; 0: nothing is known
  double effective = 0.0;          // trajectories it is worth
  Index trajectories = 0;

  double low(double tail) const;
  double high(double tail) const;
  void state(Archive& archive, const std::string& name);
};

/// The spread of the returns is that of the estimate itself or the one given, whichever is larger, with two allowances.
/// Returns that are all at a bound do not say that there are no others: a tenth of a return at the other bound enters
/// the variance, if both are known. And returns are not normal: their variance is known only as well as from a quarter
/// of the degrees of freedom, which is right for exponential ones.
ReturnWithError with_error(const ReturnEstimate& estimate, const ReturnRange& range, const Spread& spread = {});

/// The interval, cut off at the bounds. If the estimate was chosen as the largest of `choices` independent ones, its
/// lower end is that of all of them at once (Bonferroni). `excess`, if predictions like this one were too high by so
/// much (below 0: too low), moves the end on that side.
EstimatedReturn estimated_return(const ReturnWithError& value, const ReturnRange& range, double choices = 1.0,
                                 double excess = 0.0);

}  // namespace retropg
