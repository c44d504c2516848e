#pragma once

#include <cstdint>

#include "retropg/estimator/recursive.hpp"

namespace retropg {

struct PagePgOptions {
  RecursiveOptions sizes{};
  double refresh = 0.1;    // p: the probability of a snapshot
  std::uint64_t seed = 1;  // of the random choice of snapshots
};

/// Whether iteration k takes a snapshot, drawn from its own random stream.
bool coin_says_refresh(std::uint64_t seed, Index k, double chance);

/// PAGE-PG (Gargiani et al. 2022): SRVR-PG with random snapshots, taken with probability p in every iteration after the
/// first.
std::unique_ptr<Estimator> page_pg(const Policy& policy, const PagePgOptions& options);

}  // namespace retropg
