#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/reuse/return_estimate.hpp"
#include "retropg/trajectory/draw_id.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg {

class Archive;

/// A request for trajectories: how many, and from which behavior.
struct Draw {
  std::vector<double> behavior;
  Index count = 0;
  double spread = 1.0;  // factor on the standard deviation of what is drawn, actions or parameters
  // A trajectory before the first iteration, with no behavior: actions are uniform in their ranges, or 0 without any.
  bool pilot = false;
  DrawId id{};  // set by the trainer
};

/// The plan of most methods: one draw of `count` trajectories at theta, or of `limit` if that is less.
std::vector<Draw> draw_at(Parameters theta, Index count, Index limit);

/// The number of iterations that a budget allows if each draws one batch, counting a smaller last one.
double batches_within(double budget, Index batch);

/// Trajectories collected for one draw.
struct Batch {
  std::vector<double> behavior{};
  std::shared_ptr<const Evidence> evidence{};
  std::vector<double> returns{};  // discounted
  std::vector<Index> lengths{};   // steps taken
  std::vector<Ending> endings{};  // may be empty: not known
  double spread = 1.0;
  std::vector<double> values{};  // returns, minus the baseline if there is one; for Credit::kOne
  DrawId draw{};
  Index missing = 0;  // trajectories of the draw that were asked for and have not been collected
};

/// Diagnostics of one batch in the window; age 0 is the fresh one. NaN where the rule does not define a number.
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
  Index saturated = 0;  // plain importance weights truncated at log w = 300
  // ||A x - b|| / ||b|| of the linear system a method solves for its direction; unset if it solves none.
  std::optional<double> residual{};
  std::vector<BatchDiagnostics> batches{};
  std::string notice{};  // one line for the user on what is out of the ordinary, without quotes; else empty
};

struct Estimate {
  std::vector<double> gradient;
  Diagnostics diagnostics{};
  std::optional<ReturnEstimate> value{};  // of theta, from all trajectories used; unset: the fresh batch must do
  std::optional<double> predicted{};      // the return of theta, from the trajectories before the fresh ones alone
  std::vector<double> parameters{};       // the next parameters if the method takes its own step; else empty
};

/// Parameters to return, and which they are: "last", "elite", "centroid". Empty parameters: the method has no say.
struct Recommendation {
  std::vector<double> parameters{};
  std::string_view name{};
};

/// A gradient estimator: requests trajectories and turns them, together with what it stored from earlier ones, into an
/// estimate of grad J. It does not depend on environments, files or threads.
class Estimator {
 public:
  virtual ~Estimator() = default;
  /// The draws of iteration k = 1, 2, ... at the current parameters; at most `limit` trajectories in total.
  virtual std::vector<Draw> plan(Index k, Parameters theta, Index limit, const OrderedSum& sum) = 0;
  /// The gradient at theta from the batches of this iteration's draws, in the order of the draws. The caller must then
  /// call `keep` or `discard`, even if this throws.
  virtual Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) = 0;
  /// Makes the changes of `estimate` to the stored state permanent.
  virtual void keep() {}
  /// Restores the state from before `estimate`.
  virtual void discard() {}
  /// The return at any theta, estimated from the stored trajectories; unset if none are stored.
  virtual std::optional<ReturnEstimate> value(Parameters /*theta*/, const OrderedSum& /*sum*/) { return std::nullopt; }
  /// The parameters to return if training ended at theta, of a method that knows them better than the estimates of the
  /// iterates' returns do; empty of the others.
  virtual Recommendation recommended(Parameters /*theta*/) const { return {}; }
  /// Whether the method has found that there is nothing left to improve: the run ends.
  virtual bool solved() const { return false; }
  /// Whether the method reuses trajectories, so that those that come late can still be used.
  virtual bool reuses() const { return false; }
  /// A draw of an earlier iteration whose batch is still stored, with the number it still misses as its count; unset if
  /// there is no such draw.
  virtual std::optional<Draw> stored_draw(const DrawId& /*id*/) const { return std::nullopt; }
  /// Stores trajectories of such a draw. Throws Error, and changes nothing, if there is no such draw.
  virtual void add_late(Batch batch);
  /// What a step's score is multiplied by in the evidence this estimator needs.
  virtual Credit credit() const { return Credit::kRewardToGo; }
  /// The largest number of trajectories one iteration can request.
  virtual Index largest_iteration() const = 0;
  /// The number of iterations that a budget of trajectories allows (its expected value if their sizes are random).
  virtual double iterations_within(double budget) const = 0;
  /// Upper bound on the bytes stored for trajectories of this size within `iterations` iterations.
  virtual double bytes_needed(double bytes_per_trajectory, double iterations) const = 0;
  /// Saves or restores, by name, every number that resuming a run needs.
  virtual void state(Archive& archive) = 0;
};

/// Throws an Error that names the method if the policy does not provide the capability.
void require_capability(const Policy& policy, Capability capability, const std::string& needed_by);

}  // namespace retropg
