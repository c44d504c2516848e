#pragma once

#include "retropg/estimator/page_pg.hpp"

namespace retropg {

/// How the policies of a mini-batch are chosen.
enum class Mixture {
  kStratified,  // ceil(share B) trajectories from the current policy, the rest from the previous one
  kRandom,      // each trajectory's policy is drawn at random
};

struct DefPgOptions {
  PagePgOptions page{};
  double current_share = 0.5;
  Mixture mixture = Mixture::kStratified;
};

/// DEF-PG (defensive PAGE-PG): mini-batches come from the current and the previous policy, and both terms are weighted
/// relative to that mixture,
///   v_k = v_{k-1} + (1/B) sum_j sum_t [ W_{0:t}(k) c_t(k) - W_{0:t}(k-1) c_t(k-1) ] gamma^t r_t,
///   W_{0:t}(i) = p_i(tau_{0:t}) / (s p_k(tau_{0:t}) + (1 - s) p_{k-1}(tau_{0:t})) <= 1 / share of i,
/// with c_t(i) = sum_{l <= t} grad log pi_i(a_l | s_l) and s the realized share of the current policy.
std::unique_ptr<Estimator> def_pg(const Policy& policy, const DefPgOptions& options);

}  // namespace retropg
