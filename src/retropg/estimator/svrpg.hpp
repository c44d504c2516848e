#pragma once

#include <optional>

#include "retropg/estimator/recursive.hpp"
#include "retropg/optimizer/optimizer.hpp"

namespace retropg {

struct SvrpgOptions {
  RecursiveOptions sizes{};
  Index epoch = 10;                       // m: updates from one snapshot to the next, its own included
  std::optional<AdamOptions> two_adam{};  // of the snapshots' Adam; the other one has half its rate
  bool early_stop = false;                // see below
};

/// SVRPG (Papini et al. 2018): epochs of m updates around the parameters theta~ and the gradient v~ of a snapshot,
///   v = v~ + (1/B) sum_j [ g_theta(tau_j) - g_theta~(tau_j; weighted by p_theta~ / p_theta) ],   tau_j ~ p_theta.
/// The snapshot is an update by itself. Options of the paper: one Adam for snapshots and another for the updates
/// between them; a snapshot before the epoch's end once  alpha_FG / N > alpha_SI / B,  where alpha is how far the last
/// snapshot (FG) or the last mini-batch (SI) moved the parameters for a gradient of length 1.
std::unique_ptr<Estimator> svrpg(const Policy& policy, const SvrpgOptions& options);

}  // namespace retropg
