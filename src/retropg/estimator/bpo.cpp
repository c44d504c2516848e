#include "retropg/estimator/bpo.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/archive.hpp"
#include "retropg/core/error.hpp"
#include "retropg/estimator/mixture_gradient.hpp"
#include "retropg/reuse/window.hpp"

namespace retropg {
namespace {

class Bpo final : public Estimator {
 public:
  Bpo(const Policy& policy, const BpoOptions& options) : policy_(policy), options_(options), kept_(kFullReuse) {
    if (!options_.reuse) options_.window = 1;
  }

  std::vector<Draw> plan(Index, Parameters theta, Index limit, const OrderedSum& sum) override {
    const Index count = std::min(options_.batch, limit);
    const Index defensive =
        std::clamp<Index>(static_cast<Index>(std::lround(options_.defensive * static_cast<double>(count))), 1, count);
    std::vector<Draw> draws;
    if (defensive < count) {
      FittedBehavior behavior = fit(theta, sum);
      draws.push_back({.behavior = std::move(behavior.theta), .count = count - defensive, .spread = behavior.spread});
    }
    draws.push_back({.behavior = {theta.begin(), theta.end()}, .count = defensive});
    return draws;
  }

  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override {
    remember(std::move(fresh));
    const std::vector<MixturePart> parts = mixture();
    Estimate result{.gradient = std::vector<double>(theta.size(), 0.0)};
    TrajectoryWeights weights;
    for (const WindowEntry& entry : kept_.entries()) {
      add_mixture_gradient(as<StepwiseEvidence>(*entry.evidence), theta, parts, WeightForm::kDecision,
                           1.0 / static_cast<double>(kept_.trajectories()), sum, result.gradient, weights);
    }
    result.diagnostics = weight_diagnostics(weights);
    return result;
  }

  void keep() override { kept_.keep_changes(); }
  void discard() override {
    kept_.undo_changes();
    batches_ = batches_before_;
  }
  Index largest_iteration() const override { return options_.batch; }
  double iterations_within(double budget) const override { return batches_within(budget, options_.batch); }
  double bytes_needed(double bytes_per_trajectory, double iterations) const override {
    // Those that leave the window stay until the update is settled.
    const double kept =
        options_.window == kFullReuse ? iterations : std::min(iterations, static_cast<double>(options_.window) + 1.0);
    return kept * static_cast<double>(options_.batch) * bytes_per_trajectory;
  }

  void state(Archive& archive) override {
    kept_.state(archive, policy_);
    archive("batches", batches_);
    Index batches = 0;
    for (const Index count : batches_) {
      require(count == 1 || count == 2, "a saved bpo iteration must have one or two batches");
      batches += count;
    }
    require(batches == kept_.size(), "the saved iterations do not match the saved batches");
    require(options_.window == kFullReuse || as_index(batches_.size()) <= options_.window,
            "the saved window has more iterations than this run keeps");
  }

 private:
  /// The next behavior, fitted to the stored trajectories; the policy itself if there are none.
  FittedBehavior fit(Parameters theta, const OrderedSum& sum) const {
    if (kept_.size() == 0) return {.theta = {theta.begin(), theta.end()}};
    const std::vector<MixturePart> parts = mixture();
    std::vector<WeightedBatch> data;
    for (const WindowEntry& entry : kept_.entries()) {
      const auto& steps = as<StepwiseEvidence>(*entry.evidence);
      TrajectoryWeights weights;
      add_trajectory_weights(steps, theta, parts, sum, weights);
      const std::vector<double> norms = gradient_norms(steps, theta, sum);
      for (std::size_t j = 0; j < norms.size(); ++j) weights.weights[j] *= norms[j];
      weights.weights.resize(as_size(chunk_count(steps.size()) * kChunk), 0.0);
      data.push_back({.evidence = &steps, .weights = std::move(weights.weights)});
    }
    return fit_behavior(policy_, theta, data, options_.fit, sum);
  }

  /// Adds the one or two batches of an iteration and drops those that have left the window.
  void remember(std::vector<Batch> fresh) {
    kept_.begin_changes();
    batches_before_ = batches_;
    batches_.push_back(as_index(fresh.size()));
    for (Batch& batch : fresh) kept_.push(std::move(batch.behavior), std::move(batch.evidence), batch.spread);
    if (options_.window == kFullReuse || as_index(batches_.size()) <= options_.window) return;
    for (Index left = batches_.front(); left > 0; --left) kept_.pop();
    batches_.erase(batches_.begin());
  }

  std::vector<MixturePart> mixture() const {
    std::vector<MixturePart> parts;
    for (const WindowEntry& entry : kept_.entries()) {
      parts.push_back({.theta = entry.behavior,
                       .share = static_cast<double>(entry.evidence->size()) / static_cast<double>(kept_.trajectories()),
                       .spread = entry.spread,
                       .log_volume = static_cast<double>(policy_.action_size()) * std::log(entry.spread)});
    }
    return parts;
  }

  const Policy& policy_;
  BpoOptions options_;
  Window kept_;
  std::vector<Index> batches_before_;  // batches_ before the last estimate
  std::vector<Index> batches_;         // number of batches of each stored iteration
};

}  // namespace

std::unique_ptr<Estimator> bpo(const Policy& policy, const BpoOptions& options) {
  for (const Capability needed : {Capability::kSteps, Capability::kFisher, Capability::kSpread}) {
    require_capability(policy, needed, "bpo");
  }
  require(options.batch >= 1, "the batch must hold at least one trajectory");
  require(options.window >= 0, "the window must hold at least one batch");
  require(options.defensive >= 0.0 && options.defensive <= 1.0, "the defensive share must lie in [0, 1]");
  require(options.fit.spread_low > 0.0 && options.fit.spread_low <= options.fit.spread_high,
          "the limits of the behavior's spread must be positive and in ascending order");
  return std::make_unique<Bpo>(policy, options);
}

}  // namespace retropg
