#pragma once

#include "retropg/estimator/recursive.hpp"

namespace retropg {

struct StormPgOptions {
  RecursiveOptions sizes{};  // only the first iteration takes a snapshot
  double forgetting = 0.9;   // a
};

/// STORM-PG (Yuan et al. 2020): a moving average whose old part is corrected for the new parameters,
///   v_k = g_k + (1 - a) (v_{k-1} - h_k),   g_k = (1/B) sum_j g_k(tau_j),
///   h_k = (1/B) sum_j g_{k-1}(tau_j; weighted by p_{k-1} / p_k),   tau_j ~ p_k.
/// a = 1 gives GPOMDP with batches of B.
std::unique_ptr<Estimator> storm_pg(const Policy& policy, const StormPgOptions& options);

}  // namespace retropg
