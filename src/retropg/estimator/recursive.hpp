#pragma once

#include <algorithm>

#include "retropg/estimator/estimator.hpp"
#include "retropg/estimator/mixture_gradient.hpp"

namespace retropg {

/// Sizes and weights of a method that corrects an earlier estimate with small batches.
struct RecursiveOptions {
  Index snapshot = 55;   // N: trajectories of a snapshot
  Index mini_batch = 5;  // B: trajectories of an iteration between snapshots
  WeightForm weights = WeightForm::kDecision;
};

/// What SVRPG, SRVR-PG, STORM-PG, PAGE-PG and DEF-PG share. With g_theta a mean single-trajectory gradient,
///   snapshot    v = (1/N) sum_j g_theta(tau_j),   tau_j ~ p_theta
///   otherwise   v = a g + (1 - a) (base + (g - h)),
/// where g and h estimate the gradients at theta and at the anchor from the same mini-batch, each trajectory weighted
/// relative to the policies it was drawn from (add_mixture_gradient), so g - h is exactly 0 when theta is the anchor.
/// Anchor and base are the parameters and the estimate v of the last iteration, or, if `keeps_anchor()`, of the last
/// snapshot. v is the estimate itself, not the step the optimizer makes of it. A non-finite estimate is not used as the
/// base: then v = g.
class Recursive : public Estimator {
 public:
  Recursive(const char* name, const Policy& policy, const RecursiveOptions& options);

  std::vector<Draw> plan(Index k, Parameters theta, Index limit, const OrderedSum& sum) final;
  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override;
  void discard() override;
  Index largest_iteration() const override { return std::max(options_.snapshot, options_.mini_batch); }
  double iterations_within(double budget) const override;
  double bytes_needed(double bytes_per_trajectory, double iterations) const override;
  void state(Archive& archive) override;

 protected:
  const RecursiveOptions& options() const { return options_; }
  std::size_t parameter_count() const { return parameters_; }
  Parameters anchor() const { return anchor_; }
  bool is_snapshot() const { return is_snapshot_; }

  /// Whether iteration k, after the first snapshot, takes another.
  virtual bool snapshot_due(Index k, Parameters theta) = 0;
  /// The draws of a mini-batch of `count` trajectories.
  virtual std::vector<Draw> mini_batch(Index k, Parameters theta, Index count);
  virtual bool keeps_anchor() const { return false; }
  /// The share of iterations after the first that take a snapshot, if they come by chance.
  virtual double snapshot_share() const { return 0.0; }
  /// `iterations_within` with a snapshot every `epoch` iterations.
  double iterations_of_epochs(double budget, Index epoch) const;
  /// a: the share of the old estimate that is forgotten.
  virtual double forgets() const { return 0.0; }

 private:
  RecursiveOptions options_;
  std::size_t parameters_;  // of the policy
  bool is_snapshot_ = true;
  std::vector<double> anchor_, base_;
  std::vector<double> anchor_before_, base_before_;  // values before the last estimate
};

}  // namespace retropg
