#pragma once

#include <optional>

#include "retropg/estimator/recursive.hpp"
#include "retropg/optimizer/optimizer.hpp"

namespace retropg {

struct SvrpgOptions {
  RecursiveOptions sizes{};
  Index epoch = 10;                       // m: updates from one snapshot to the next, including the snapshot's own
  std::optional<AdamOptions> two_adam{};  // Adam for snapshots; the one for other updates has half its rate
  bool early_stop = false;                // see below
};

/// SVRPG (Papini et al. 2018): epochs of m updates around the parameters theta~ and the gradient v~ of a snapshot,
///   v = v~ + (1/B) sum_j [ g_theta(tau_j) - g_theta~(tau_j; weighted by p_theta~ / p_theta) ],   tau_j ~ p_theta.
/// The snapshot itself is also an update. Options from the paper: one Adam for snapshots and another for the updates
/// between them; a snapshot before the end of the epoch once  alpha_FG / N > alpha_SI / B,  where alpha is how far the
/// last snapshot (FG) or the last mini-batch (SI) moved the parameters per unit of gradient norm.
std::unique_ptr<Estimator> svrpg(const Policy& policy, const SvrpgOptions& options);

}  // namespace retropg
