#include "retropg/estimator/recursive.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/archive.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

/// The mean gradient at `target` from batches drawn from a mixture.
std::vector<double> mean_gradient(Parameters target, std::span<const Batch> batches, WeightForm form,
                                  const OrderedSum& sum, TrajectoryWeights& weights) {
  Index total = 0;
  for (const Batch& batch : batches) total += batch.evidence->size();
  std::vector<MixturePart> mixture;
  for (const Batch& batch : batches) {
    const double share = static_cast<double>(batch.evidence->size()) / static_cast<double>(total);
    mixture.push_back({.theta = batch.behavior, .share = share});
  }
  std::vector<double> gradient(target.size(), 0.0);
  for (const Batch& batch : batches) {
    add_mixture_gradient(as<StepwiseEvidence>(*batch.evidence), target, mixture, form, 1.0 / static_cast<double>(total),
                         sum, gradient, weights);
  }
  return gradient;
}

}  // namespace

Recursive::Recursive(const char* name, const Policy& policy, const RecursiveOptions& options)
    : options_(options), parameters_(as_size(policy.parameter_count())) {
  require_capability(policy, Capability::kSteps, name);
  require(options.snapshot >= 1 && options.mini_batch >= 1,
          "a snapshot and a mini-batch must hold at least one trajectory");
}

std::vector<Draw> Recursive::plan(Index k, Parameters theta, Index limit, const OrderedSum&) {
  is_snapshot_ = anchor_.empty() || snapshot_due(k, theta);  // also after a first snapshot whose draw was lost
  if (!is_snapshot_) return mini_batch(k, theta, std::min(options_.mini_batch, limit));
  return draw_at(theta, options_.snapshot, limit);
}

std::vector<Draw> Recursive::mini_batch(Index, Parameters theta, Index count) {
  return draw_at(theta, count, count);
}

Estimate Recursive::estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) {
  anchor_before_ = anchor_;
  base_before_ = base_;
  TrajectoryWeights target_weights, anchor_weights;
  Estimate result{.gradient = mean_gradient(theta, fresh, options_.weights, sum, target_weights)};
  if (!is_snapshot_ && std::isfinite(norm(base_))) {
    require(base_.size() == theta.size(), "there is no estimate to correct");
    const std::vector<double> at_anchor = mean_gradient(anchor_, fresh, options_.weights, sum, anchor_weights);
    const double a = forgets();
    for (std::size_t i = 0; i < theta.size(); ++i) {
      double& g = result.gradient[i];
      g = a * g + (1.0 - a) * (base_[i] + (g - at_anchor[i]));
    }
  }
  result.diagnostics = weight_diagnostics(anchor_weights.weights.empty() ? target_weights : anchor_weights);
  if (is_snapshot_ || !keeps_anchor()) {
    anchor_.assign(theta.begin(), theta.end());
    base_ = result.gradient;
  }
  return result;
}

void Recursive::discard() {
  anchor_ = anchor_before_;
  base_ = base_before_;
}

double Recursive::iterations_within(double budget) const {
  const auto snapshot = static_cast<double>(options_.snapshot), mini_batch = static_cast<double>(options_.mini_batch);
  const double mean = snapshot_share() * snapshot + (1.0 - snapshot_share()) * mini_batch;
  return 1.0 + std::ceil(std::max(budget - snapshot, 0.0) / mean);
}

double Recursive::iterations_of_epochs(double budget, Index epoch) const {
  const auto snapshot = static_cast<double>(options_.snapshot), mini_batch = static_cast<double>(options_.mini_batch);
  const double size = snapshot + static_cast<double>(epoch - 1) * mini_batch;
  const double whole = std::floor(budget / size), left = budget - whole * size;
  const double rest = left > 0.0 ? 1.0 + std::ceil(std::max(left - snapshot, 0.0) / mini_batch) : 0.0;
  return static_cast<double>(epoch) * whole + rest;
}

double Recursive::bytes_needed(double bytes_per_trajectory, double) const {
  return static_cast<double>(largest_iteration()) * bytes_per_trajectory;
}

void Recursive::state(Archive& archive) {
  archive("anchor", anchor_);
  archive("base", base_);
  require(base_.size() == anchor_.size() && (anchor_.empty() || anchor_.size() == parameters_) && all_finite(anchor_),
          "the saved estimate belongs to another policy");
}

}  // namespace retropg
