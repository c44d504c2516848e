#pragma once

#include "retropg/estimator/recursive.hpp"

namespace retropg {

struct SrvrpgOptions {
  RecursiveOptions sizes{};
  Index epoch = 10;  // m: updates from one snapshot to the next, including the snapshot's own
};

/// SRVR-PG (Xu et al. 2020): SVRPG with the last iterate in place of the snapshot,
///   v_k = v_{k-1} + (1/B) sum_j [ g_k(tau_j) - g_{k-1}(tau_j; weighted by p_{k-1} / p_k) ],   tau_j ~ p_k,
/// and v = (1/N) sum_j g_k(tau_j) every m-th iteration.
std::unique_ptr<Estimator> srvrpg(const Policy& policy, const SrvrpgOptions& options);

}  // namespace retropg
