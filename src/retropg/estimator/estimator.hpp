#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

class Archive;

/// A request for trajectories: how many, and from which behavior.
struct Draw {
  std::vector<double> behavior;
  Index count = 0;
  double spread = 1.0;  // deviation of the actions, in deviations of the policy
};

/// The draw of most methods: `count` trajectories, or `limit` if that is less, at theta.
std::vector<Draw> draw_at(Parameters theta, Index count, Index limit);

/// Trajectories collected for one draw.
struct Batch {
  std::vector<double> behavior{};
  std::unique_ptr<Evidence> evidence{};
  std::vector<double> returns{};  // discounted
  std::vector<Index> lengths{};   // steps taken
  double spread = 1.0;
  std::vector<double> values{};  // returns less their baseline, for estimators that ask for bare scores
};

/// One past batch as the estimator saw it; age 0 is the fresh one. NaN where the rule has no such number.
struct BatchDiagnostics {
  Index age = 0;
  double effective_sample_size = 0.0;
  double log_divergence = 0.0;
  double alpha = 0.0;
  double lambda = 0.0;
};

struct Diagnostics {
  double effective_sample_size = 0.0;  // of all trajectories used
  double weight_mean = 1.0;            // of the weights relative to uniform: M c_ij, whose mean is sum c_ij
  double weight_max = 1.0;
  double log_divergence_max = 0.0;
  Index saturated = 0;  // plain importance weights cut at log w = 300
  // ||A x - b|| / ||b|| of the linear system a method solves for its direction; unset if it solves none.
  std::optional<double> residual{};
  std::vector<BatchDiagnostics> batches{};
};

struct Estimate {
  std::vector<double> gradient;
  Diagnostics diagnostics{};
  std::vector<double>
      parameters{};  // the next ones, from a method that takes its own step; else empty: the optimizer's
};

/// A gradient estimator: says which trajectories it wants and turns them, with what it kept of earlier ones, into an
/// estimate of grad J. It knows nothing of environments, files, threads or ranks.
class Estimator {
 public:
  virtual ~Estimator() = default;
  /// The draws of iteration k = 1, 2, ... at the current parameters; at most `limit` trajectories in all.
  virtual std::vector<Draw> plan(Index k, Parameters theta, Index limit, const OrderedSum& sum) = 0;
  /// The gradient at theta from the batches of this iteration's draws, in their order. What it remembers of them is
  /// settled by `keep` or `discard`, one of which follows, also if it throws.
  virtual Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) = 0;
  virtual void keep() {}
  /// Brings back the state from before `estimate`.
  virtual void discard() {}
  /// What a step's score is multiplied by in the evidence this estimator asks for.
  virtual Credit credit() const { return Credit::kRewardToGo; }
  /// The most trajectories an iteration asks for.
  virtual Index largest_iteration() const = 0;
  /// The most iterations a budget of trajectories allows (where draws are random, the expected number).
  virtual double iterations_within(double budget) const = 0;
  /// Bytes the window may come to hold for trajectories of this size over `iterations` iterations.
  virtual double bytes_needed(double bytes_per_trajectory, double iterations) const = 0;
  /// Every number a resume needs, by name, in both directions.
  virtual void state(Archive& archive) = 0;
};

/// Throws Error that names the method if the policy lacks what it needs.
void require_capability(const Policy& policy, Capability capability, const std::string& needed_by);

}  // namespace retropg
