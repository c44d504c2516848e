#pragma once

#include "retropg/estimator/estimator.hpp"

namespace retropg {

/// The mean single-trajectory gradient of the fresh batch,  g = (1/N) sum_j sum_l psi_{j,l} credit_{j,l}:
///   GPOMDP and PGT with the reward-to-go D_l (without a baseline they are the same number), REINFORCE with the return
///   R.
/// Stores nothing between iterations.
std::unique_ptr<Estimator> on_policy(Index batch, Credit credit);

}  // namespace retropg
