#pragma once

#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/baseline/baseline.hpp"

namespace retropg {

/// The credits of a batch, each minus baseline(j, l, credit), where l is the step within trajectory j, or 0 for the
/// whole return.
template <typename F>
std::vector<double> credits_less(const TrajectoryBatch& batch, double discount, Credit credit, const F& baseline) {
  require(credit != Credit::kOne, "a baseline needs a credit that contains rewards");
  std::vector<double> credits = step_credits(batch, discount, credit);
  for (Index j = 0; j < batch.size(); ++j) {
    for (Index step = batch.begin(j); step < batch.begin(j + 1); ++step) {
      double& own = credits[as_size(step)];
      own -= baseline(j, credit == Credit::kReturn ? 0 : step - batch.begin(j), own);
    }
  }
  return credits;
}

/// sum_j D_{j,l} for every l < T, where a trajectory that has ended counts as 0: the discounted rewards of the time
/// steps t = l, ..., T - 1, summed over all trajectories.
inline std::vector<double> summed_rewards_to_go(const TrajectoryBatch& batch, const BaselineOptions& options) {
  const std::vector<double> to_go = step_credits(batch, options.discount, Credit::kRewardToGo);
  std::vector<double> sums(as_size(options.horizon), 0.0);
  for (Index j = 0; j < batch.size(); ++j) {
    require(batch.length(j) <= options.horizon, "a trajectory is longer than the baseline's horizon");
    for (Index l = 0; l < batch.length(j); ++l) {
      sums[as_size(l)] += to_go[as_size(batch.begin(j) + l)];
    }
  }
  return sums;
}

}  // namespace retropg
