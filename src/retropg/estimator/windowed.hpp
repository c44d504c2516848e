#pragma once

#include <memory>

#include "retropg/estimator/estimator.hpp"
#include "retropg/estimator/weighting_estimator.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/reuse/weights.hpp"

namespace retropg {

/// sum_ij c_ij g_theta(tau_ij) over the trajectories of a window, with weights c from a rule, at any target theta.
/// Scores are evaluated at theta on the stored states and actions; rewards are the stored ones.
class WindowedGradient {
 public:
  explicit WindowedGradient(std::unique_ptr<WeightRule> rule) : rule_(std::move(rule)) {}
  Estimate operator()(const Window& window, Parameters theta, const OrderedSum& sum);
  /// The return at theta, with the same weights.
  ReturnEstimate value(const Window& window, Parameters theta, const OrderedSum& sum);
  /// The weights of the last call.
  const Weights& weights() const { return weights_; }
  const WeightRule& rule() const { return *rule_; }
  /// Clears what the rule has cached about a window; called when another window replaces it.
  void forget() { rule_->forget(); }

 private:
  /// Of the batch of an age, which these entries of the window hold; `d` is the number of parameters.
  BatchDiagnostics of_batch(Index age, const std::vector<std::size_t>& entries, Index d) const;

  std::unique_ptr<WeightRule> rule_;
  LikelihoodComparison comparison_;
  Weights weights_;
  std::vector<double> totals_;
};

struct WindowedOptions {
  Index batch = 10;
  Index window = 8;  // batches, including the fresh one; kFullReuse for all
};

class WindowedEstimator : public Estimator, public WeightingEstimator {
 public:
  virtual const Window& window() const = 0;
};

/// Trajectory reuse: RPG (MPM weights), RPG-theory, MIW-PG, BH-PG. Each iteration adds its batch to the window and
/// computes the windowed gradient at the current parameters. A window of one gives GPOMDP.
std::unique_ptr<WindowedEstimator> windowed(const Policy& policy, const WindowedOptions& options,
                                            std::unique_ptr<WeightRule> rule);

}  // namespace retropg
