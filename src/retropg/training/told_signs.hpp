#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Throws Error if two or more numbers are exactly the mean of their action, or exactly an end of its range, which
/// Gaussian numbers never are: means, as a deterministic policy acts, or clipped actions. Numbers that were rounded may
/// be by chance (training/told_rounding.hpp): with the density p_t of the policy and the distance h between neighboring
/// numbers, lambda = sum_t p_t h are expected, and k are refused if P(Poisson(lambda) >= k) < 1e-12. That is the
/// false-alarm rate for means and for ends. For doubles two are enough. Other policies than Gaussian ones are not
/// checked.
void check_exact_actions(const Policy& policy, Parameters theta, double spread, const TrajectoryBatch& batch,
                         std::span<const ActionRange> ranges);

/// The actions of trajectories, in short.
struct Fingerprints {
  std::vector<std::uint64_t> hashes{};  // one for each trajectory; empty: there is nothing to compare
  std::vector<double> deviations{};     // of each action
};

/// Of policies that are not Gaussian there are none: their plants may repeat themselves.
Fingerprints fingerprints(const Policy& policy, Parameters theta, double spread, const TrajectoryBatch& batch);

/// Trajectories that were told before. No two have the same actions, to the last bit, unless one was told twice, or the
/// numbers of short ones were rounded: T steps may be the same by chance, and are let pass, unless
///   sum_u T log2(2 sqrt(pi) sigma_u / h_u) >= 64,   h as above: two numbers told as doubles.
/// The false-alarm rate is below 2^-64 for each pair of trajectories. Not part of a saved state: what was told before a
/// restart is not known again.
class ToldTrajectories {
 public:
  /// Throws Error if one trajectory of the batch, whose fingerprints these are, is known, or twice in it.
  void check(const Fingerprints& prints, const TrajectoryBatch& batch) const;
  void add(std::span<const std::uint64_t> hashes) { known_.insert(hashes.begin(), hashes.end()); }
  void clear() { known_.clear(); }

 private:
  std::unordered_set<std::uint64_t> known_;
};

}  // namespace retropg
