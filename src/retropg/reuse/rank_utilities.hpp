#pragma once

#include <memory>

#include "retropg/reuse/weights.hpp"

namespace retropg {

/// What a window's trajectories are worth by the weighted ranks of their values R. With weights w_i >= 0, sum w = 1:
///   p_i = sum_{R_j > R_i} w_j + 1/2 sum_{R_j = R_i} w_j       the rank from above; ties share it
///   v_i = max(0, ln(1/2) - ln p_i),   u_i = v_i / sum w v - 1
/// so that sum w u = 0, and only the better half counts.
struct Ranking {
  std::vector<double> factor;  // w_i u_i; all 0 if no trajectory is better than another
  double selected = 0.0;       // (sum w v)^2 / sum (w v)^2: the effective number of selected trajectories
  double effective = 0.0;      // 1 / sum w^2
  double noise = 0.0;          // sum (w u)^2: the variance of sum w u z for standard normal z that no value depends on
};

/// `c` need not add up to 1; trajectories of weight 0 have no rank.
void rank(std::span<const double> c, std::span<const double> values, Ranking& result);

/// Weights of another rule, multiplied by rank utilities: the gradient becomes sum_i w_i u_i grad log p_theta(tau_i).
class RankUtilities final : public WeightRule {
 public:
  explicit RankUtilities(std::unique_ptr<WeightRule> rule) : rule_(std::move(rule)) {}

  double order() const override { return rule_->order(); }
  bool needs_values() const override { return true; }
  void weigh(const Window& window, Parameters theta, const LikelihoodComparison& comparison, const OrderedSum& sum,
             Weights& weights) override;
  void forget() override { rule_->forget(); }
  double bytes_per_trajectory(Index window, double batches) const override;

  /// Of the last call.
  const Ranking& ranking() const { return ranking_; }

 private:
  std::unique_ptr<WeightRule> rule_;
  std::vector<double> values_;  // in the order of the weights
  Ranking ranking_;
};

}  // namespace retropg
