#pragma once

#include <functional>
#include <optional>

#include "retropg/core/types.hpp"

namespace retropg {

/// The smallest and the largest return that a trajectory can have, where such are known.
struct ReturnRange {
  std::optional<double> smallest{}, largest{};
};

/// What scores are normalized by: (return - random) / (best - random).
struct ReferenceReturns {
  double random = 0.0;  // mean return of actions uniform over the action bounds, or over [-1, 1] if there are none
  double best = 0.0;    // an upper bound or, where no useful one is known, the best mean return known to us

  bool operator==(const ReferenceReturns&) const = default;
};

/// Both depend on the horizon and the discount. An empty function: nothing is known.
using RangeOfReturns = std::function<ReturnRange(Index horizon, double discount)>;
using ReferencesOfReturns = std::function<std::optional<ReferenceReturns>(Index horizon, double discount)>;

/// sum_{t < steps} discount^t
double discounted_steps(Index steps, double discount);

/// Of an environment with reward 1 in every step, which takes at least one.
ReturnRange one_per_step(Index horizon, double discount);

/// References that were measured, and hold only for this horizon and without a discount.
ReferencesOfReturns measured_for(Index horizon, const ReferenceReturns& returns);

}  // namespace retropg
