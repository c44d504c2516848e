#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

/// Throws Error if two or more numbers of an action are exactly its mean, or exactly an end of its range, which a
/// Gaussian number never is: means, as a deterministic policy acts, or clipped actions. Numbers that were rounded may
/// be by chance (training/told_rounding.hpp): with the density p_t of the policy and the distance h between neighboring
/// numbers, lambda = sum_t p_t h are expected, and k are refused if P(Poisson(lambda) >= k) < 1e-12. That is the
/// false-alarm rate for each action and each of the three numbers. For doubles two are enough. Other policies than
/// Gaussian ones are not checked.
void check_exact_actions(const Policy& policy, Parameters theta, double spread, const TrajectoryBatch& batch,
                         std::span<const ActionRange> ranges);

/// A number for the actions of each trajectory; 0 if they may well be the same by chance. That is less than one chance
/// in 2^64 for each pair if  sum_u T log2(2 sqrt(pi) sigma_u / h_u) >= 64,  T steps: two numbers told as doubles. Not
/// of policies that are not Gaussian: their plants may repeat themselves.
std::vector<std::uint64_t> fingerprints(const Policy& policy, Parameters theta, double spread,
                                        const TrajectoryBatch& batch);

/// Throws Error if one of them is among the others; 0 is of no trajectory.
void require_new(std::span<const std::uint64_t> prints, std::span<const std::uint64_t> others);

/// Trajectories that were told before. No two have the same actions, to the last bit, unless one was told twice. Among
/// N trajectories there is a false alarm with probability N^2 / 2^64. Not part of a saved state: what was told before a
/// restart is not known again.
class ToldTrajectories {
 public:
  /// Throws Error if one of them is known, or twice among them.
  void check(std::span<const std::uint64_t> prints) const;
  void add(std::span<const std::uint64_t> prints) { known_.insert(prints.begin(), prints.end()); }
  void clear() { known_.clear(); }

 private:
  std::unordered_set<std::uint64_t> known_;
};

}  // namespace retropg
