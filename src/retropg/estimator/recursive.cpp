#include "retropg/estimator/recursive.hpp"

#include <algorithm>

#include "retropg/core/archive.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

/// The mean gradient at `target` from batches drawn from a mixture.
std::vector<double> mean_gradient(const char* name, Parameters target, std::span<const Batch> batches, WeightForm form,
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
    add_mixture_gradient(stepwise(*batch.evidence, name), target, mixture, form, 1.0 / static_cast<double>(total), sum,
                         gradient, weights);
  }
  return gradient;
}

}  // namespace

Recursive::Recursive(const char* name, const RecursiveOptions& options) : name_(name), options_(options) {
  require(options.snapshot >= 1 && options.mini_batch >= 1,
          "a snapshot and a mini-batch must hold at least one trajectory");
}

std::vector<Draw> Recursive::plan(Index k, Parameters theta, Index limit) {
  is_snapshot_ = k == 1 || snapshot_due(k, theta);
  if (!is_snapshot_) return mini_batch(k, theta, std::min(options_.mini_batch, limit));
  return {{.behavior = {theta.begin(), theta.end()}, .count = std::min(options_.snapshot, limit)}};
}

std::vector<Draw> Recursive::mini_batch(Index, Parameters theta, Index count) {
  return {{.behavior = {theta.begin(), theta.end()}, .count = count}};
}

Estimate Recursive::estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) {
  TrajectoryWeights target_weights, anchor_weights;
  Estimate result{.gradient = mean_gradient(name_, theta, fresh, options_.weights, sum, target_weights)};
  if (!is_snapshot_ && all_finite(base_)) {
    require(base_.size() == theta.size(), "the kept estimate belongs to another policy");
    const std::vector<double> at_anchor = mean_gradient(name_, anchor_, fresh, options_.weights, sum, anchor_weights);
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

double Recursive::bytes_needed(double bytes_per_trajectory, double) const {
  return static_cast<double>(largest_iteration()) * bytes_per_trajectory;
}

void Recursive::state(Archive& archive) {
  archive("anchor", anchor_);
  archive("base", base_);
  require(base_.size() == anchor_.size(), "the saved estimate has another size than its parameters");
}

}  // namespace retropg
